import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path/posix'
import { isRecord, own } from '../../../domain/infrastructure/record.ts'
import { isConfigurationFile } from '../../../domain/workspaces/terraform-blocks.ts'
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
  /** What `init` noted of the modules (`modules/modules.json` of OpenTofu's data folder); undefined where there are none. */
  installed?: string | undefined
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
  { root, files, modules, installed }: PlannedFrom,
): void {
  const entries = readZip(planFile).filter(({ name }) => name.startsWith(prefix))
  const folders = readFolders(entries.find(({ name }) => name === manifest)?.read(maxFileBytes))
  assertInstalled(folders, installed)
  const seen = new Set<string>()
  for (const { name, read } of entries) {
    if (name === manifest) continue
    const [, key, file] = /^tfconfig\/m-([^/]*)\/([^/]+)$/.exec(name) ?? []
    const folder = key === undefined ? undefined : folders.get(key)
    if (folder === undefined || file === undefined)
      throw new PlanForged('it has a file of no module of the configuration')
    const path = join(root, folder, file)
    seen.add(name)
    const content = read(maxFileBytes)
    const own = files.get(path)
    const isSame =
      own === undefined
        ? modules.get(path) === createHash('sha256').update(content).digest('hex')
        : content.equals(Buffer.from(own))
    if (!isSame) throw new PlanForged(`its ${file} is not the configuration's`)
  }
  const known = Map.groupBy(readByOpenTofu([...files.keys(), ...modules.keys()]), dirname)
  // Each call of a folder has a copy of its own, and OpenTofu reads any one of them for all calls.
  for (const [key, folder] of folders)
    for (const path of known.get(join(root, folder, '.')) ?? [])
      if (!seen.has(`${prefix}m-${key}/${basename(path)}`))
        throw new PlanForged(`it lacks ${basename(path)}`)
}

/** OpenTofu's own choice: no file of an editor, and of `a.tf` and `a.tofu` the second alone. */
function readByOpenTofu(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => {
    const name = basename(path)
    if (!isConfigurationFile(path) || /^\.|~$|^#.*#$/.test(name)) return false
    return !all.has(path.replace(/\.tf(\.json)?$/, '.tofu$1')) || !/\.tf(\.json)?$/.test(path)
  })
}

/** Another folder of the same configuration under the key of a module would be other code at its address. */
function assertInstalled(
  folders: ReadonlyMap<string, string>,
  installed: string | undefined,
): void {
  const noted = installed === undefined ? undefined : own(parse(installed), 'Modules')
  const known = noted === undefined ? new Map<string, string>() : foldersOf(noted)
  for (const [key, folder] of folders)
    if (key !== '' && join(known.get(key) ?? '/', '.') !== join(folder, '.'))
      throw new PlanForged('a module of it is in another folder')
}

/** What OpenTofu 1.12 writes of a module. Go's encoding/json takes other spellings for these too: `dir` for `Dir`. */
const keysOfModule = new Set(['Key', 'Source', 'Version', 'Dir'])

/** The folder of each module by its key, empty for the root. */
function readFolders(text: Buffer | undefined): Map<string, string> {
  const records = parse(String(text))
  const isPlain = (record: unknown) =>
    isRecord(record) && Object.keys(record).every((key) => keysOfModule.has(key))
  if (!Array.isArray(records) || !records.every(isPlain)) throw new PlanForged(unreadable)
  const folders = foldersOf(records)
  if (join(folders.get('') ?? '/', '.') !== '.')
    throw new PlanForged('its configuration is in another folder')
  return folders
}

function foldersOf(records: unknown): Map<string, string> {
  const folders = new Map<string, string>()
  if (!Array.isArray(records)) throw new PlanForged(unreadable)
  for (const record of records.filter(isRecord)) {
    const [key, folder] = [own(record, 'Key'), own(record, 'Dir')]
    if (typeof key !== 'string' || typeof folder !== 'string' || folders.has(key))
      throw new PlanForged(unreadable)
    folders.set(key, folder)
  }
  return folders
}

const unreadable = 'the list of its modules cannot be read'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PlanForged(unreadable)
  }
}
