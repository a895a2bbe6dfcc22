import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { unavailable } from '../../domain/errors.ts'

export type CliConfig = {
  /** Folders of the host that every run reads providers from and none can write. */
  mirrors: string[]
  /** Notes for the operator. */
  notes: string[]
}

/** The parts of an operator's OpenTofu CLI configuration that matter to the sandbox. */
export function readCliConfig(file: string): CliConfig {
  let text: string
  try {
    text = withoutComments(readFileSync(file, 'utf8'))
  } catch (error) {
    throw unavailable('cli_config', `CC_TOFU_CLI_CONFIG names ${file}, which cannot be read`, error)
  }
  // A cache that runs can write would carry one organization's data to all others; and OpenTofu uses only
  // what a lock file names, and fails beside other inits that write.
  if (/^\s*plugin_cache_dir\s*=/m.test(text))
    throw unavailable(
      'cli_config',
      'CC_TOFU_CLI_CONFIG sets plugin_cache_dir, to which every run would write. Name a filesystem_mirror, filled by "tofu providers mirror", and "direct {}" after it',
    )
  const mirrors = [
    ...text.matchAll(/filesystem_mirror\s*\{[^}]*?path\s*=\s*"((?:[^"\\]|\\.)+)"/g),
  ].flatMap(([, path]) => path ?? [])
  for (const path of mirrors)
    if (!isAbsolute(path))
      throw unavailable('cli_config', `CC_TOFU_CLI_CONFIG: the path ${path} is not absolute`)
  const notes = /^\s*credentials\s+"|^\s*credentials_helper\b/m.test(text)
    ? ['CC_TOFU_CLI_CONFIG holds credentials: whoever may plan can read them']
    : []
  return { mirrors, notes }
}

/**
 * The CLI configuration of a run. Without a `provider_installation` block OpenTofu first looks into
 * `terraform.d/plugins` of its working folder and of its home: a plan's code could leave a program there for a
 * later step.
 */
export const withProviderInstallation = (text: string): string =>
  withoutComments(text).includes('provider_installation')
    ? text
    : `${text || 'disable_checkpoint = true'}\nprovider_installation {\n  direct {}\n}\n`

const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*(#|\/\/).*$/gm, '')
