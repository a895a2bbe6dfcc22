import type { ErrorDetail } from '../errors.ts'
import { isConfigurationFile, terraformBlocks } from './terraform-blocks.ts'

const encryptionRefused =
  'an encryption block is refused: it chooses how the approved plan is read. Remove it; plans and states are encrypted at rest here'

/**
 * The parts of a configuration that would let its author change how an approved plan is read, or bring a
 * program that no registry verifies. Each with its file and line.
 */
export function refusedIn(files: Readonly<Record<string, string>>): ErrorDetail[] {
  const refused: ErrorDetail[] = []
  for (const [name, content] of Object.entries(files)) {
    const path = `files[${JSON.stringify(name)}]`
    const fault = faultOfName(name)
    if (fault) refused.push({ path, message: fault })
    // OpenTofu reads it in its working folder, which may be another one tomorrow.
    const block = isConfigurationFile(name) && firstEncryption(name, content)
    if (block)
      refused.push({ path, message: `line ${block.line}: ${encryptionRefused}`, line: block.line })
  }
  return refused
}

/** One sentence for a log or for the end of a run. */
export const refusalInWords = ({ path, message }: ErrorDetail): string =>
  `The configuration is refused: ${path.slice('files['.length, -1)}: ${message}.`

/** `backend` and `cloud` blocks in the working folder: ours overrides them. */
export function overriddenIn(
  files: Readonly<Record<string, string>>,
  folder: string,
): Array<{ file: string; type: string; line: number }> {
  return Object.entries(files).flatMap(([file, content]) => {
    const isInFolder = file.slice(0, Math.max(0, file.lastIndexOf('/'))) === folder
    if (!isInFolder || !isConfigurationFile(file)) return []
    return terraformBlocks(file, content, ['backend', 'cloud']).map((block) => ({ file, ...block }))
  })
}

const firstEncryption = (name: string, content: string) =>
  terraformBlocks(name, content, ['encryption'])[0]

/**
 * OpenTofu reads providers from `terraform.d/plugins` before it asks a registry, and settings of its own
 * from `.terraform` and the files of its command line.
 */
function faultOfName(name: string): string | undefined {
  const segments = name.split('/')
  if (segments.some((segment, at) => segment === 'terraform.d' && segments[at + 1] === 'plugins'))
    return 'providers in terraform.d/plugins are refused: they come from the registry or the mirror of this installation'
  if (segments.includes('.terraform')) return 'this name belongs to OpenTofu itself'
  if (/\.(tofurc|terraformrc)$/.test(name))
    return 'a configuration of the OpenTofu command line is refused: the installation has its own'
  return undefined
}
