import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/** A response, as it came. */
interface Received {
  status: number
  headers: Record<string, unknown>
  text: string
}

type Node = Record<string, unknown>
const nodeOf = (value: unknown): Node => (typeof value === 'object' && value !== null ? (value as Node) : {})
const escaped = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

/**
 * Makes a check of responses that shares no code with the suite or the library: it reads the document as it is written,
 * and plain Ajv follows the references.
 *
 * @returns what a response breaks
 */
export function createSecondReader(document: Node) {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true })
  addFormats(ajv)
  for (const format of ['int32', 'int64', 'binary']) ajv.addFormat(format, true)
  ajv.addSchema({ ...document, $id: 'contract:/' })

  function responseOf(pointer: string, node: Node): [pointer: string, Node] {
    const { $ref: reference } = node
    if (typeof reference !== 'string') return [pointer, node]
    const names = reference.split('/').slice(1)
    return responseOf(`/${names.join('/')}`, nodeOf(names.reduce<unknown>((at, name) => nodeOf(at)[name], document)))
  }

  return ({ method, url }: { method: string; url: string }, { status, headers, text }: Received): string[] => {
    const path = url.split('?', 1).join()
    const matches = Object.keys(nodeOf(document['paths'])).filter((template) =>
      new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
    )
    const [template = ''] = matches.toSorted((a, b) => a.split('{').length - b.split('{').length)
    const responses = nodeOf(nodeOf(nodeOf(nodeOf(document['paths'])[template])[method.toLowerCase()])['responses'])
    const key = [String(status), `${String(status)[0] ?? ''}XX`, 'default'].find((each) => each in responses)
    if (key === undefined) return [`${method} ${template} declares no ${String(status)}`]
    const start = `/paths/${escaped(template)}/${method.toLowerCase()}/responses/${key}`
    const [pointer, response] = responseOf(start, nodeOf(responses[key]))
    const missing = Object.entries(nodeOf(response['headers']))
      .filter(([name, header]) => nodeOf(header)['required'] === true && headers[name.toLowerCase()] === undefined)
      .map(([name]) => `the header ${name} is missing`)
    if (missing.length > 0) return missing
    if (response['content'] === undefined) return text === '' ? [] : ['there is a body']
    const schema = `contract:/#${pointer}/content/${escaped(String(headers['content-type']).split(';', 1).join())}/schema`
    return ajv.validate({ $ref: schema }, JSON.parse(text)) ? [] : [ajv.errorsText()]
  }
}
