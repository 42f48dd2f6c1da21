import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inTurns } from './commands.ts'
import { normalText } from './normal-text.ts'
import { project, runCommand } from './service.ts'

/** Replaces the first occurrence of a text, or appends where there is none to replace. */
type Edit = readonly [from: string, to: string]

const base = await readFile(join(import.meta.dirname, '../contract.yaml'), 'utf8')

const listParameter = '        - name: limit\n'
const listOperation = '      operationId: listBooks\n'
const kind = '        kind:\n'
const paths = '  /books/{title}:\n'
const bookOfBody = "            schema:\n              $ref: '#/components/schemas/Book'\n            examples:"

function parameter(name: string, rest: string): Edit {
  return [listParameter, `        - name: ${name}\n          in: query\n${rest}${listParameter}`]
}
function property(name: string, schema: string): Edit {
  return [kind, `        ${name}: ${schema}\n${kind}`]
}
function operation(path: string, id: string, more = ''): Edit {
  const responses = `{ '204': { description: Done. }, default: { $ref: '#/components/responses/Failure' } }`
  return [paths, `  ${path}:\n    put: { operationId: ${id}, responses: ${responses}${more} }\n${paths}`]
}

/** Contracts with faults, several where one run finds them all. */
const faulty: Readonly<Record<string, readonly Edit[]>> = {
  'another version of OpenAPI': [['openapi: 3.1.0', 'openapi: 3.0.3']],
  'no OpenAPI at all': [[base, 'name: plants\n']],
  'an empty file': [[base, '']],
  'a list': [[base, '- openapi: 3.1.0\n']],
  'a file that is cut in half': [[base.slice(base.length / 2), '']],
  'a quote that is not closed': [["'#/components/schemas/Book'", "'#/components"]],
  'a tab as indentation': [['  title: Books', '\ttitle: Books']],
  'a name that is given twice': [['  title: Books\n', '  title: Books\n  title: Plants\n']],
  'an alias without its anchor': [['info:\n', 'x-a: *nowhere\ninfo:\n']],
  'no operation': [
    [base.slice(base.indexOf('  /books:'), base.indexOf('components:\n')), ''],
    ['paths:\n', 'paths: {}\n'],
  ],
  'a schema that applies to itself': [
    ['      required: [title]\n', "      required: [title]\n      allOf: [{ $ref: '#/components/schemas/Book' }]\n"],
  ],
  'a reference to a file that is not there': [["'#/components/schemas/Book'", "'nowhere.yaml#/Book'"]],
  'a reference into the network': [["'#/components/schemas/Book'", "'https://books.example/book.yaml'"]],
  'references and structure': [
    ["                  $ref: '#/components/schemas/Book'", "                  $ref: '#/components/schemas/Nothing'"],
    ["          $ref: '#/components/responses/Failure'", "          $ref: '#/components/responses/Success'"],
    ['          description: The book.\n', '          summary: The book.\n'],
    ['      required: [title]', '      required: title'],
    ['          required: true\n', '          required: yes please\n'],
    ['  title: Books\n', '  titel: Books\n'],
  ],
  'words of schemas': [
    ['          maxLength: 100', '          maxLenght: 100'],
    ['            format: int32', '            format: int23'],
    property('a', '{ type: string, nullable: true }'),
    property('b', '{ $dynamicRef: "#node" }'),
    property('c', '{ type: string, format: date-time-local }'),
    property('d', '{ type: object, discriminator: { propertyName: x } }'),
    property('e', '{ type: string, contentEncoding: base64 }'),
    property('f', '{ $id: "https://books.example/f", type: string }'),
    property('g', '{ type: array, prefixItems: [{ type: string }], additionalItems: false }'),
    property('h', '{ type: number, format: int64 }'),
    property('i', '{ type: string, minLength: 5, maxLength: 3 }'),
    property('j', '{ type: integer, minimum: 1.5 }'),
    property('k', '{ type: [string, integer] }'),
    property('l', '{ enum: [] }'),
    property('m', '{ type: strnig }'),
    property('n', '{ type: object, required: [x], properties: { y: { type: string } } }'),
    property('o', '{ type: integer, format: int32, maximum: 3000000000 }'),
    property('p', '{ type: string, default: 5 }'),
    property('q', '{ type: object, unevaluatedProperties: false, patternProperties: { "^x": true } }'),
  ],
  patterns: [
    ["            pattern: '^[a-z]+$'", "            pattern: '^[a-z+$'"],
    ...[
      '(?<=a)b',
      '(?i)a',
      '\\p{L}+',
      'a{2,1}',
      '(a',
      'a)',
      '\\d+',
      '[[:alpha:]]',
      '(?P<a>b)',
      '^(a+)+$',
      '\\1',
      'a++',
      '\\Z',
    ].map((pattern, index): Edit => property(`p${String(index)}`, `{ type: string, pattern: '${pattern}' }`)),
  ],
  'words of the document': [
    [
      'servers:\n  - url: /\n',
      'jsonSchemaDialect: https://json-schema.org/draft/2020-12/schema\n' +
        'servers:\n  - url: https://{host}/\n    variables: { host: { default: a } }\n',
    ],
    ['      parameters:\n', '      deprecated: true\n      callbacks: {}\n      parameters:\n'],
    parameter('a', '          allowEmptyValue: true\n          schema: { type: string }\n'),
    parameter('b', '          style: deepObject\n          schema: { type: object }\n'),
    parameter('c', '          allowReserved: true\n          schema: { type: string }\n'),
    parameter('d', '          explode: false\n          schema: { type: array, items: { type: object } }\n'),
    [
      '          description: The books.\n',
      '          description: The books.\n          headers: { Content-Type: { schema: { type: string } } }\n',
    ],
    ['      scheme: bearer\n', '      scheme: bearer\n      bearerFormat: opaque\n'],
    ['      description: A failure.\n', '      description: A failure.\n      content-type: x\n'],
  ],
  operations: [
    [listOperation, ''],
    ['operationId: createBook', 'operationId: deleteBook'],
    parameter('limit', '          schema: { type: string }\n'),
    operation('/shelf-{id}', 'one'),
    operation('/a/{id}/{id}', 'two'),
    operation('/a b', 'three'),
    operation('/a%20b', 'four'),
    operation('/books/{other}', 'five', ', parameters: [{ name: author, in: path, schema: { type: string } }]'),
    ["        '201':\n", "        '601':\n"],
    [
      '          description: The book is gone.\n',
      '          description: The book is gone.\n          content: { application/json: {} }\n',
    ],
  ],
  'a parameter without a schema': [parameter('none', '')],
  'a path with a star': [operation('/a/*', 'one')],
  'a path of the service itself': [operation('/livez', 'one'), operation('/docs/static/a', 'two')],
  'two routes that are the same': [
    operation('/pages/{a}', 'one', ', parameters: [{ name: a, in: path, required: true, schema: { type: string } }]'),
    operation('/pages/{b}', 'two', ', parameters: [{ name: b, in: path, required: true, schema: { type: string } }]'),
    ['operationId: deleteBook\n              parameters', 'operationId: moveBook\n              parameters'],
  ],
  'names that are no names of functions': [
    ['operationId: listBooks', 'operationId: list books'],
    ['operationId: createBook', 'operationId: class'],
    ['      operationId: deleteBook\n      parameters', '      operationId: "delete\\nBook"\n      parameters'],
  ],
  'numbers of errors': [
    [
      '            - 40000\n',
      '            - 40000\n            - 40000\n            - 60000\n            - 4\n            - 99999\n',
    ],
    ['            - malformed_body\n', '            - malformed body\n            - invalid_request\n'],
    ['            - The service failed.\n', ''],
  ],
  'an error number without a name': [['            - malformed_body\n', '']],
  'a failure of the service that is missing': [
    ['            - 50300\n', ''],
    ['            - unavailable\n', ''],
    ['            - The store is away.\n', ''],
  ],
  'failures in another form': [
    [
      "      content:\n        application/json:\n          schema:\n            $ref: '#/components/schemas/Error'",
      '      content:\n        text/plain: {}',
    ],
    [
      '        X-Request-Id:\n',
      '        X-Other:\n          required: true\n          schema: { type: string }\n        X-Request-Id:\n',
    ],
  ],
  'statuses that are not declared': [
    [
      "        default:\n          $ref: '#/components/responses/Failure'",
      "        '400':\n          $ref: '#/components/responses/Failure'",
    ],
  ],
  security: [
    ['  - bearer: []', '  - baerer: []'],
    [listOperation, `${listOperation}      security: [{ bearer: [admin] }]\n`],
  ],
  'no security': [['security:\n  - bearer: []\n', '']],
  'a scheme that nothing verifies': [['      scheme: bearer\n', '      scheme: digest\n']],
  scopes: [[listOperation, `${listOperation}      security: [{ bearer: [admin] }]\n`]],
  examples: [
    ['          example: 2\n', "          example: '2'\n"],
    [
      '                - title: Walden\n                  pages: 352\n',
      '                - pages: 352\n                  titel: Walden\n',
    ],
    [
      '                  pages: 352\n      responses',
      '                  pages: 1.5\n                  kind: poem\n      responses',
    ],
    property('page', '{ type: integer, examples: [1, x] }'),
    property('name', '{ type: string, maxLength: 3, example: four, default: fifth }'),
  ],
  bodies: [
    [`          application/json:\n${bookOfBody}`, `          application/xml:\n${bookOfBody}`],
    ['        required: true\n        content', '        content'],
  ],
  'misnamed components': [['    Book:\n', '    a/b: { type: string }\n    "c d": { type: string }\n    Book:\n']],
  'deep and endless': [
    property('deep', `${'{ type: array, items: '.repeat(60)}{ type: string }${' }'.repeat(60)}`),
    property('endless', "{ anyOf: [{ $ref: '#/components/schemas/Book/properties/endless' }] }"),
  ],
}

/** Contracts that are good, and what of a client they break. */
const changed: Readonly<Record<string, readonly Edit[]>> = {
  nothing: [],
  'a removed operation': [
    [base.slice(base.indexOf('  /books/{title}:'), base.indexOf('components:\n')), ''],
    [
      base.slice(
        base.indexOf('          links:'),
        base.indexOf('        default:\n', base.indexOf('          links:')),
      ),
      '',
    ],
  ],
  'bounds and properties': [
    ['            minimum: 0', '            minimum: 1'],
    ['          maxLength: 100', '          maxLength: 99'],
    ['required: [title]', 'required: [title, pages]'],
    ['enum: [novel, essay]', 'enum: [novel, poem]'],
    ["'204'", "'202'"],
    ['required: [error, message]', 'required: [error]'],
    ['- name: limit', '- name: max'],
  ],
  additions: [
    parameter('kind', '          schema: { type: string }\n'),
    property('note', '{ type: string }'),
    operation('/shelves', 'moveShelf'),
    ['  title: Books', '  title: Books and more'],
    ['          maxLength: 100', '          maxLength: 101'],
  ],
}

function edited(edits: readonly Edit[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`an edit of test/golden/contract.yaml finds no ${JSON.stringify(from)}`)
    return text.replace(from, () => to)
  }, base)
}

/** What generation and the comparison of contracts print, by the name of the contract. */
export async function outputOfContracts(): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'golden-contracts-'))
  const outputs: Record<string, string[]> = {}

  async function run(
    name: string,
    contract: string | undefined,
    script: string,
    ...parameters: string[]
  ): Promise<void> {
    outputs[name] = []
    const root = await linkProject(join(folder, name.replaceAll(/\W+/g, '-')))
    if (contract !== undefined) await writeFile(join(root, 'openapi.yaml'), contract)
    const { code, stdout, stderr } = await runCommand(script, parameters, { folder: root })
    const lines = normalText(stdout + stderr, folder).split('\n')
    outputs[name] = [`exit code ${String(code)}`, ...lines]
    if (parameters.length > 0) return
    for (const file of ['client.ts', 'errors.ts', 'openapi.ts']) {
      const text = await readFile(join(root, 'generated', file), 'utf8')
      outputs[name].push(`generated/${file}:`, ...text.replaceAll(/sha256:\S+/g, 'sha256:*').split('\n'))
    }
  }

  try {
    const released = join(folder, 'released.yaml')
    await writeFile(released, base)
    await inTurns([
      () => run('generate: the good contract', base, 'generate'),
      () => run('generate: no contract', undefined, 'generate', '--check'),
      () => run('generate: an unknown option', base, 'generate', '--chek'),
      () => run('generate: two options', base, 'generate', '--check', '--scaffold'),
      () => run('breaking: two files', base, 'breaking', 'a', 'b'),
      () => run('breaking: a file that is not there', base, 'breaking', 'nowhere.yaml'),
      ...Object.entries(faulty).map(
        ([name, edits]) =>
          () =>
            run(`generate: ${name}`, edited(edits), 'generate', '--check'),
      ),
      ...Object.entries(changed).map(
        ([name, edits]) =>
          () =>
            run(`breaking: ${name}`, edited(edits), 'breaking', released),
      ),
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return outputs
}

/** Makes a folder that is the project but for its contract and what is generated from it. */
async function linkProject(root: string): Promise<string> {
  await mkdir(root, { recursive: true })
  const own = ['openapi.yaml', 'generated', '.git']
  for (const name of (await readdir(project)).filter((each) => !own.includes(each))) {
    await symlink(join(project, name), join(root, name))
  }
  await cp(join(project, 'generated'), join(root, 'generated'), { recursive: true })
  return root
}
