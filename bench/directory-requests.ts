import { type ContractDocument, type ContractOperation, type Parameter, kindOf } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { alternativesOf, securitySchemesOf } from 'fastify-contract/security'
import { NoValue, type Sampler } from 'fastify-contract-cli/mock'

interface Sent {
  method: 'GET'
  url: string
  headers: Record<string, string>
  payload?: string
}

/** A valid request, with what is required of it. @returns why there is none */
export function requestOf(operation: ContractOperation, document: ContractDocument, sampler: Sampler): Sent | string {
  try {
    const headers: Record<string, string> = {}
    let url = operation.path
    const query: string[] = []
    const cookies: string[] = []
    for (const parameter of operation.parameters.filter(({ required }) => required === true)) {
      const value = valueOf(parameter, sampler)
      if (parameter.in === 'path')
        url = url.replace(`{${parameter.name}}`, encodeURIComponent(textOf(parameter, value)))
      else if (parameter.in === 'query') query.push(...pairsOf(parameter, value))
      else if (parameter.in === 'header') headers[parameter.name] = textOf(parameter, value)
      else cookies.push(`${parameter.name}=${textOf(parameter, value)}`)
    }
    for (const { scheme } of alternativesOf(operation)[0] ?? []) {
      const { kind, in: place, name } = securitySchemesOf(document).get(scheme) ?? {}
      const text = kind === 'apiKey' ? 'key' : kind === 'basic' ? 'Basic dTpw' : 'Bearer token'
      if (place === 'query') query.push(`${name ?? ''}=key`)
      else if (place === 'cookie') cookies.push(`${name ?? ''}=key`)
      else headers[name ?? ''] = text
    }
    if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
    const target = query.length > 0 ? `${url}?${query.join('&')}` : url
    // `inject` takes each method.
    const sent = { method: operation.method.toUpperCase() as 'GET', url: target, headers }
    const bodies = Object.entries(operation.object.requestBody?.content ?? {})
    const [type, media] = bodies.find(([each]) => !each.includes('*')) ?? bodies[0] ?? []
    if (type === undefined) return sent
    const payload = bodyOf(type, media?.schema, sampler)
    headers['content-type'] =
      kindOf(type) === 'multipart'
        ? `${type}; boundary=b`
        : type.replace(/\*$/, 'octet-stream').replace('*/', 'application/')
    return { ...sent, payload }
  } catch (error) {
    if (error instanceof NoValue) return error.message
    throw error
  }
}

function valueOf({ schema, content, example, examples = {} }: Parameter, sampler: Sampler): unknown {
  const given = example ?? Object.values(examples)[0]?.value
  return given ?? sampler.valueOf(schema ?? Object.values(content ?? {})[0]?.schema ?? {})
}

function textOf({ content, explode }: Parameter, value: unknown): string {
  if (content !== undefined) return stringifyJson(value)
  if (Array.isArray(value)) return value.map(String).join(',')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map((pair) => pair.map(String).join(explode === true ? '=' : ','))
    .join(',')
}

function pairsOf(parameter: Parameter, value: unknown): string[] {
  const { name, style = 'form', explode = style === 'form', content } = parameter
  const pair = (key: string, text: string) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`
  if (content !== undefined || typeof value !== 'object' || value === null)
    return [pair(name, textOf(parameter, value))]
  const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[style] ?? ','
  if (Array.isArray(value))
    return explode ? value.map((each) => pair(name, String(each))) : [pair(name, value.map(String).join(separator))]
  const members = Object.entries(value)
  if (style === 'deepObject') return members.map(([key, each]) => pair(`${name}[${key}]`, String(each)))
  return explode
    ? members.map(([key, each]) => pair(key, String(each)))
    : [pair(name, members.flat().map(String).join(','))]
}

function bodyOf(type: string, schema: Schema = {}, sampler: Sampler): string {
  const value = sampler.valueOf(schema)
  const kind = kindOf(type)
  if (kind === 'json') return stringifyJson(value)
  if (kind === 'text' || kind === 'bytes') return typeof value === 'string' ? value : stringifyJson(value)
  const text = (each: unknown) => (typeof each === 'string' ? each : stringifyJson(each))
  const fields = Object.entries(value ?? {}).flatMap(([name, each]) =>
    [each as unknown].flat().map((one) => [name, text(one)] as const),
  )
  if (kind === 'form') return fields.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const properties = sampler.flat(schema).properties
  return (
    fields
      .map(([name, each]) => {
        const isFile = /"format":"binary"/.test(JSON.stringify(properties[name] ?? {}))
        return `--b\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ''}\r\n\r\n${each}\r\n`
      })
      .join('') + '--b--\r\n'
  )
}
