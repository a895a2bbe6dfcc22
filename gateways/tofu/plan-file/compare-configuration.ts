import { createHash } from 'node:crypto'
import { join } from 'node:path/posix'
import { isRecord, own } from '../../../domain/infrastructure/record.ts'
import { PlanForged } from './plan-forged.ts'
import { readZip } from './read-zip.ts'

/** What a plan was made of, known from before any code of its author ran. Paths are those of the workbench. */
export type PlannedFrom = {
  /** The folder in which OpenTofu works: `config`, or one below it. */
  root: string
  /** The text of each file of the configuration and of our own, by its path: `config/main.tf`. */
  files: ReadonlyMap<string, string>
  /** SHA-256 in hexadecimal of each file of the modules that `init` fetched: `data/modules/vpc/main.tf`. */
  modules: ReadonlyMap<string, string>
}

const prefix = 'tfconfig/'
const manifest = `${prefix}modules.json`
const maxFileBytes = 64 * 1024 * 1024

/**
 * Throws PlanForged unless the configuration within a plan file is that of the run. An apply reads its configuration
 * from there: code of the author that replaced the plan file could otherwise have it run what nobody approved, as
 * another provisioner of a resource whose creation was approved.
 */
export function compareConfiguration(
  planFile: Buffer,
  { root, files, modules }: PlannedFrom,
): void {
  const entries = readZip(planFile).filter(({ name }) => name.startsWith(prefix))
  const folders = readFolders(entries.find(({ name }) => name === manifest)?.read(maxFileBytes))
  for (const { name, read } of entries) {
    if (name === manifest) continue
    const [, key, file] = /^tfconfig\/m-([^/]*)\/([^/]+)$/.exec(name) ?? []
    const folder = key === undefined ? undefined : folders.get(key)
    if (folder === undefined || file === undefined)
      throw new PlanForged('it has a file of no module of the configuration')
    const path = join(root, folder, file)
    const content = read(maxFileBytes)
    const own = files.get(path)
    const isSame =
      own === undefined
        ? modules.get(path) === createHash('sha256').update(content).digest('hex')
        : content.equals(Buffer.from(own))
    if (!isSame) throw new PlanForged(`its ${file} is not the configuration's`)
  }
}

/** The folder of each module by its key, empty for the root. */
function readFolders(text: Buffer | undefined): Map<string, string> {
  const folders = new Map<string, string>()
  let records: unknown
  try {
    records = JSON.parse(String(text))
  } catch {
    throw new PlanForged('the list of its modules cannot be read')
  }
  if (!Array.isArray(records)) throw new PlanForged('the list of its modules cannot be read')
  for (const record of records.filter(isRecord)) {
    const [key, folder] = [own(record, 'Key'), own(record, 'Dir')]
    if (typeof key !== 'string' || typeof folder !== 'string' || folders.has(key))
      throw new PlanForged('the list of its modules cannot be read')
    folders.set(key, folder)
  }
  if (join(folders.get('') ?? '/', '.') !== '.')
    throw new PlanForged('its configuration is in another folder')
  return folders
}
