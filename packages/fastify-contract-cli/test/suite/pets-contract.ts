import { readContract } from '../../src/suite.ts'

const json = (schema: object) => ({ 'application/json': { schema } })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const refused = { description: 'Refused.', content: json(to('Problem')) }
const pet = {
  description: 'A pet.',
  headers: { ETag: { required: true, schema: { type: 'string' } } },
  content: json(to('Pet')),
}
const none = { description: 'Done.' }
const petId = { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64', minimum: 1 } }

/** A contract with a state, callers, forms, several request types and most kinds of parameters. */
export const petsDocument: Record<string, unknown> = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: '/v1' }],
  security: [{ key: [] }],
  paths: {
    '/pets': {
      post: {
        operationId: 'addPet',
        requestBody: {
          required: true,
          content: { ...json(to('NewPet')), 'application/x-www-form-urlencoded': { schema: to('NewPet') } },
        },
        responses: { 201: pet, 400: refused, 401: refused },
      },
      get: {
        operationId: 'listPets',
        responses: {
          200: { description: 'Pets.', content: json({ type: 'array', items: to('Pet') }) },
          400: refused,
          401: refused,
        },
      },
    },
    '/pets/{petId}': {
      parameters: [petId],
      get: { operationId: 'getPet', responses: { 200: pet, 400: refused, 401: refused, 404: refused } },
      put: {
        operationId: 'changePet',
        requestBody: { required: true, content: json(to('NewPet')) },
        responses: { 200: pet, 400: refused, 401: refused, 404: refused },
      },
      delete: { operationId: 'removePet', responses: { 204: none, 400: refused, 401: refused, 404: refused } },
    },
    '/search': {
      get: {
        operationId: 'search',
        security: [],
        parameters: [
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            schema: { type: 'object', properties: { kind: { enum: ['cat', 'dog'] }, age: { type: 'integer' } } },
          },
          {
            name: 'sizes',
            in: 'query',
            style: 'pipeDelimited',
            explode: false,
            schema: { type: 'array', items: { type: 'integer', format: 'int32' } },
          },
          {
            name: 'where',
            in: 'query',
            content: json({ type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } }),
          },
          { name: 'limit', in: 'query', required: true, schema: { type: 'integer', minimum: 0, maximum: 9 } },
          { name: 'X-Mode', in: 'header', schema: { enum: ['fast', 'slow'] } },
          { name: 'kind', in: 'cookie', schema: { enum: ['leaf', 'branch'] } },
        ],
        responses: { 204: none, 400: refused },
      },
    },
    '/pictures': {
      post: {
        operationId: 'addPicture',
        security: [],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['title', 'picture'],
                properties: { title: { type: 'string', minLength: 1 }, picture: { type: 'string', format: 'binary' } },
              },
            },
          },
        },
        responses: { 204: none, 400: refused },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      NewPet: {
        type: 'object',
        required: ['name', 'weight'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 20 },
          weight: { type: 'integer', format: 'int64' },
          kind: { enum: ['cat', 'dog'] },
        },
      },
      Pet: {
        allOf: [
          to('NewPet'),
          { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } },
        ],
      },
      Problem: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
    },
  },
}

export const petsContract = readContract(petsDocument)
