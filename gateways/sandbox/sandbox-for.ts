import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { readCliConfig } from '../tofu/read-cli-config.ts'
import { createSandbox } from './create-sandbox.ts'
import { workFolderFor } from './work-folder-for.ts'
import type { OwnedSandbox, Program } from './workbench.ts'

/** The sandbox of this process, as the configuration says. */
export async function sandboxFor(
  config: Config,
  log: Logger,
  { slots, programs }: { slots: number; programs: readonly Exclude<Program, 'syft'>[] },
): Promise<OwnedSandbox> {
  const { tofuBin = 'tofu', opaBin = 'opa' } = config
  const paths = { tofu: tofuBin, opa: opaBin, sh: '/bin/sh', node: process.execPath }
  const cliConfig = config.tofuCliConfig ? readCliConfig(config.tofuCliConfig) : undefined
  return createSandbox({
    kind: config.sandbox,
    workDir: config.workDir ?? workFolderFor(config.dataDir),
    slots,
    programs: Object.fromEntries(programs.map((program) => [program, paths[program]])),
    shared: cliConfig?.mirrors ?? [],
    notes: cliConfig?.notes ?? [],
    apiUrl: config.apiUrl,
    outbound: {
      privateHosts: config.privateHosts,
      extraCaFile: config.extraCaFile,
      onHost: (label, host, allowed) => log.info({ label, host, allowed }, 'egress'),
    },
    requireCgroups: config.production,
    log,
  })
}
