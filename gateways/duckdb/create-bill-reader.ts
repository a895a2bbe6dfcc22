import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { diskFolderFor } from '../sandbox/disk-folder-for.ts'
import { installReader } from './install-program.ts'
import type { ProgramAnswer } from './program/protocol.ts'
import { readBills, type ReadRequest } from './read-bills.ts'

export type BillReader = {
  readBills: (request: ReadRequest) => Promise<ProgramAnswer>
  /** The folder of its workbenches. Files that lie on the same disk are linked into one, not copied. */
  readonly workDir: string
  readonly notes: readonly string[]
  close(): Promise<void>
}

/** Opens a sandbox of its own for bills: it needs room on a disk, and no program of a run. */
export async function createBillReader(
  config: Pick<Config, 'sandbox' | 'dataDir' | 'production' | 'apiUrl'> &
    Partial<Pick<Config, 'billingWorkDir'>>,
  { slots, log }: { slots: number; log: Pick<Logger, 'info' | 'warn'> },
): Promise<BillReader> {
  const workDir = config.billingWorkDir ?? diskFolderFor(config.dataDir)
  const { folder, entry } = await installReader(workDir)
  const sandbox = await createSandbox({
    kind: config.sandbox,
    workDir,
    onDisk: true,
    slots,
    programs: { node: process.execPath },
    shared: [folder],
    apiUrl: config.apiUrl,
    outbound: { privateHosts: [] },
    requireCgroups: config.production,
    // A program that only reads has nothing to save.
    graceMs: 500,
    log,
  })
  return {
    workDir,
    notes: sandbox.notes,
    readBills: async (request) => readBills({ benches: sandbox, entry, log }, request),
    close: async () => sandbox.close(),
  }
}
