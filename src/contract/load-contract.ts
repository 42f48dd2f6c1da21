import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContractDocument } from './document.ts'
import { UnservableContract } from './engine.ts'
import { parseJsonWithBigInts } from '../json/json.ts'

/** The contract in force, parsed and as the text that is served. */
export interface Contract {
  document: ContractDocument
  json: string
  yaml: string
}

/**
 * Loads the contract that `npm run generate` wrote.
 *
 * @param folder the project's folder, with openapi.yaml and generated/contract.json
 * @throws UnservableContract when a file is missing or not JSON, or generated/ was made from another openapi.yaml
 */
export async function loadContract(folder: string): Promise<Contract> {
  const [yaml, json] = await Promise.all([read(join(folder, 'openapi.yaml')), read(join(folder, 'generated', 'contract.json'))])
  const document = parse(json)
  const origin = `openapi.yaml sha256:${createHash('sha256').update(yaml).digest('hex')}`
  // A file that is not what generate writes may hold any JSON.
  if ((document as ContractDocument | null)?.['x-generated-from'] !== origin) throw new UnservableContract('generated/ does not match openapi.yaml; run npm run generate')
  return { document, json, yaml }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UnservableContract(`cannot read the contract: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function parse(json: string): ContractDocument {
  try {
    // generate has judged the document before it wrote it, and createEngine judges it again.
    return parseJsonWithBigInts(json) as ContractDocument
  } catch (error) {
    throw new UnservableContract('generated/contract.json is not JSON; run npm run generate', { cause: error })
  }
}
