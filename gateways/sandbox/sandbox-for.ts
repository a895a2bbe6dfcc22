import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { createSandbox } from './create-sandbox.ts'
import { workFolderFor } from './work-folder-for.ts'
import type { OwnedSandbox, Program } from './workbench.ts'

/** The sandbox of this process, as the configuration says. */
export function sandboxFor(
  config: Config,
  log: Logger,
  { slots, programs }: { slots: number; programs: readonly Program[] },
): Promise<OwnedSandbox> {
  const { tofuBin = 'tofu', opaBin = 'opa' } = config
  const paths = { tofu: tofuBin, opa: opaBin, sh: '/bin/sh' }
  return createSandbox({
    kind: config.sandbox,
    workDir: config.workDir ?? workFolderFor(config.dataDir),
    slots,
    programs: Object.fromEntries(programs.map((program) => [program, paths[program]])),
    shared: foldersOf(config.tofuCliConfig),
    apiUrl: config.apiUrl,
    outbound: {
      privateHosts: config.privateHosts,
      extraCaFile: config.extraCaFile,
      onHost: (label, host, allowed) => log.info({ label, host, allowed }, 'egress'),
    },
    log,
  })
}

/** The mirrors of an operator's OpenTofu CLI configuration: a run finds its providers there. */
function foldersOf(tofuCliConfig: string | undefined): string[] {
  if (tofuCliConfig === undefined) return []
  const text = readFileSync(tofuCliConfig, 'utf8')
  const mirrors = text.matchAll(/filesystem_mirror\s*\{[^}]*?path\s*=\s*"(\/[^"]+)"/g)
  return [...mirrors].flatMap(([, path]) => path ?? [])
}
