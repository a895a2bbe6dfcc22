import { createHash } from 'node:crypto'
import { invalid, type ErrorDetail } from '../errors.ts'
import { refusalInWords, refusedIn } from './refused-configuration.ts'

export type ConfigurationFiles = Record<string, string>

export const maxFiles = 1_000
/** In bytes, as file systems count; it also bounds each segment. */
const maxPathLength = 255
const maxDetails = 20

/** Added to every run's folder: the backend block for our own state endpoint. */
export const backendOverrideFile = 'zz_cloud_control_backend_override.tf.json'

/** What there is to say of files, whatever folder OpenTofu works in. */
export type ExaminedFiles = {
  names: readonly string[]
  /** The first faults of their paths. */
  details: ErrorDetail[]
  /** Blocks and names that would change how an approved plan is read. */
  refused: ErrorDetail[]
}

/** Looks for files that could leave the run's folder or collide with what the service puts there. */
export function examineFiles(files: ConfigurationFiles): ExaminedFiles {
  const names = Object.keys(files)
  const details: ErrorDetail[] = []
  if (names.length > maxFiles) return { names, details, refused: [] }
  for (const name of names) {
    const message = faultOfPath(name) ?? faultOfOverride(name) ?? faultOfNesting(name, files)
    if (message)
      details.push({ path: `files[${JSON.stringify(name.slice(0, maxPathLength))}]`, message })
    if (details.length === maxDetails) break
  }
  const refused = details.length === 0 ? refusedIn(files).slice(0, maxDetails) : []
  return { names, details, refused }
}

/**
 * Refuses what was found. Reports the first fault of each file. `folder` is the workspace's `path`, in which
 * OpenTofu works.
 */
export function assertUsable({ names, details, refused }: ExaminedFiles, folder = ''): void {
  if (names.length === 0)
    throw invalid('The configuration has no files.', [
      { path: 'files', message: 'name at least one file, for example "main.tf"' },
    ])
  if (names.length > maxFiles)
    throw invalid(`The configuration has more than ${maxFiles} files.`, [
      { path: 'files', message: `at most ${maxFiles} files` },
    ])
  const message = `no .tf file in ${folder || 'the top folder'}: OpenTofu would find nothing to do`
  const faults = hasModule(names, folder) ? details : [...details, { path: 'files', message }]
  if (faults[0]) throw invalid(`The files were refused: ${faults[0].message}.`, faults)
  if (refused[0]) throw invalid(refusalInWords(refused[0]), refused, 'configuration_refused')
}

export const checkConfigurationFiles = (files: ConfigurationFiles, folder = ''): void =>
  assertUsable(examineFiles(files), folder)

/** Whether OpenTofu finds a module in the folder. Without one it would plan to destroy everything. */
export const hasModule = (names: readonly string[], folder: string): boolean =>
  names.some((name) => folderOf(name) === folder && /\.(tf|tofu)(\.json)?$/.test(name))

/** The folder of a workspace in which OpenTofu works; empty is the top. */
export function checkFolder(folder: string, field = 'path'): void {
  const message = folder === '' ? undefined : faultOfPath(folder)
  if (message) throw invalid(`${field}: ${message}.`, [{ path: field, message }])
}

function faultOfPath(path: string): string | undefined {
  if (path.length === 0 || Buffer.byteLength(path) > maxPathLength)
    return `a path has 1 to ${maxPathLength} bytes`
  if (!path.isWellFormed()) return 'a path is valid Unicode'
  // Those that turn the direction of writing would show reviewers another name.
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u001f\u007f\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path))
    return 'control characters and backslashes are refused'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'an absolute path is refused'
  const segments = path.split('/')
  if (segments.includes('..') || segments.includes('.'))
    return 'a path may not leave the configuration ("..", "." are refused)'
  if (segments.includes('')) return 'an empty path segment is refused'
  if (/^(terraform|errored)\.tfstate$/.test(nameOf(path)))
    return 'this name belongs to OpenTofu itself'
  if (segments.some(isGitFolder)) return 'this name belongs to Git itself'
  if (segments.some((segment) => /^zz_cloud_control_/i.test(segment)))
    return 'names that begin with zz_cloud_control_ are reserved'
  return undefined
}

/**
 * `.git`, as git's own `verify_path` detects it, also by the names under which macOS and Windows find it.
 * A checkout of such a file would run an attacker's hooks.
 */
export const isGitFolder = (segment: string): boolean =>
  /^(\.git|git~\d+)([ .]*|:.*)$/i.test(segment.replace(/[\u200b-\u200d\u2060-\u206f\ufeff]/g, ''))

/** OpenTofu applies override files by name: one after ours could move the state elsewhere. */
function faultOfOverride(path: string): string | undefined {
  const name = nameOf(path)
  return /(^|_)override\.(tf|tofu)(\.json)?$/.test(name) && name > backendOverrideFile
    ? `an override file may not sort after ${backendOverrideFile}`
    : undefined
}

/** A path that is both a file and a folder could not be written. */
function faultOfNesting(path: string, files: ConfigurationFiles): string | undefined {
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
    if (Object.hasOwn(files, path.slice(0, at)))
      return `${path.slice(0, at)} is a file of this configuration already`
  return undefined
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** A hash over names and contents, in any order, and over the commit that they were read at. */
export function configurationSha256(files: ConfigurationFiles, commit?: string): string {
  const hash = createHash('sha256')
  // No file's name has a NUL, so files alone cannot produce the same bytes.
  if (commit !== undefined) hash.update(`commit:${commit}\0`)
  for (const name of Object.keys(files).toSorted()) {
    const content = Buffer.from(files[name] ?? '')
    hash.update(`${Buffer.byteLength(name)}:${name}:${content.length}:`).update(content)
  }
  return hash.digest('hex')
}

/** Whether a configuration might call a module. False positives only cost a look. */
export const mentionsModules = (files: ConfigurationFiles): boolean =>
  Object.entries(files).some(
    ([path, content]) => /\.(tf|tofu)(\.json)?$/.test(path) && /\bmodule\b/.test(content),
  )
