import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { createSandbox } from './create-sandbox.ts'
import { diskFolderFor } from './disk-folder-for.ts'
import type { OwnedSandbox } from './workbench.ts'

/**
 * The sandbox of builds: its work folders lie on a disk, for a source and what is made of it may be
 * larger than memory. A step sees the host's /usr and the operator's toolchains, and can write to neither.
 */
export async function buildSandbox(
  config: Pick<
    Config,
    | 'sandbox'
    | 'dataDir'
    | 'production'
    | 'apiUrl'
    | 'privateHosts'
    | 'extraCaFile'
    | 'buildWorkDir'
    | 'buildSlots'
    | 'buildTools'
    | 'syftBin'
  >,
  log: Logger,
): Promise<OwnedSandbox> {
  return createSandbox({
    kind: config.sandbox,
    workDir: config.buildWorkDir ?? diskFolderFor(config.dataDir),
    onDisk: true,
    slots: config.buildSlots,
    programs: { sh: '/bin/sh', ...(config.syftBin && { syft: config.syftBin }) },
    shared: config.buildTools,
    apiUrl: config.apiUrl,
    outbound: {
      privateHosts: config.privateHosts,
      extraCaFile: config.extraCaFile,
      onHost: (label, host, allowed) => log.info({ label, host, allowed }, 'egress'),
    },
    requireCgroups: config.production,
    // A build has nothing to save when it is canceled.
    graceMs: 2_000,
    log,
  })
}
