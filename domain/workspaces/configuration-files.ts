import { createHash } from 'node:crypto'
import { invalid, type ErrorDetail } from '../errors.ts'

export type ConfigurationFiles = Record<string, string>

export const maxFiles = 1_000
export const maxPathLength = 255

/** Ours in every run's folder: the backend block that leads to our own state endpoint. */
export const backendOverrideFile = 'zz_cloud_control_backend_override.tf.json'

/**
 * Refuses what could leave the run's folder or get in the way of what the service
 * itself puts there. The first fault of each file is named with its path.
 */
export function checkConfigurationFiles(files: ConfigurationFiles): void {
  const details: ErrorDetail[] = []
  const names = Object.keys(files)
  if (names.length === 0)
    throw invalid('The configuration has no files.', [
      { path: 'files', message: 'name at least one file, for example "main.tf"' },
    ])
  if (names.length > maxFiles)
    throw invalid(`The configuration has more than ${maxFiles} files.`, [
      { path: 'files', message: `at most ${maxFiles} files` },
    ])
  for (const name of names) {
    const message = faultOfPath(name)
    if (message) details.push({ path: `files.${name}`, message })
  }
  if (!names.some((name) => /^[^/]+\.(tf|tofu)(\.json)?$/.test(name)))
    details.push({
      path: 'files',
      message: 'no .tf file at the top of the configuration: OpenTofu would find nothing to do',
    })
  if (details.length > 0)
    throw invalid(`The configuration was not taken: ${details[0]?.message ?? ''}.`, details)
}

function faultOfPath(path: string): string | undefined {
  if (path.length === 0 || path.length > maxPathLength)
    return `a path has 1 to ${maxPathLength} characters`
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return 'control characters and backslashes are refused'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'an absolute path is refused'
  const segments = path.split('/')
  if (segments.includes('..') || segments.includes('.'))
    return 'a path may not leave the configuration ("..", "." are refused)'
  if (segments.includes('')) return 'an empty path segment is refused'
  if (segments[0] === '.terraform' || path === 'terraform.tfstate' || path === 'errored.tfstate')
    return 'this name belongs to OpenTofu itself'
  if (/^zz_cloud_control_/i.test(path))
    return 'names that begin with zz_cloud_control_ are reserved'
  return undefined
}

/** One hash over names and contents, whatever their order. */
export function configurationSha256(files: ConfigurationFiles): string {
  const hash = createHash('sha256')
  for (const name of Object.keys(files).toSorted()) {
    const content = Buffer.from(files[name] ?? '')
    hash.update(`${Buffer.byteLength(name)}:${name}:${content.length}:`).update(content)
  }
  return hash.digest('hex')
}
