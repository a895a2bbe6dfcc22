import type { Logger } from 'pino'
import type { PrivateHost } from '../../config/outbound.ts'
import type { ResolveRules } from '../outbound/resolve-target.ts'
import type { Program } from './workbench.ts'

export type SandboxOptions = {
  kind: 'bubblewrap' | 'process'
  /** From `workFolderFor(config.dataDir)`: a folder that the slots' uids can reach. */
  workDir: string
  /** Whether work folders lie on its disk, in place of a tmpfs each; a watch holds their size. */
  onDisk?: boolean
  /** How many workbenches this worker may have open at once. */
  slots: number
  programs: Partial<Record<Program, string>>
  apiUrl: string
  outbound: {
    privateHosts: readonly PrivateHost[]
    extraCaFile?: string | undefined
    lookup?: ResolveRules['lookup']
    /** Called with the hosts that a run asked the egress proxy for; the label is the workbench's. */
    onHost?: (label: string, host: string, allowed: boolean) => void
  }
  log: Pick<Logger, 'info' | 'warn'>
  /** Folders of the host that every step may read (a mirror of providers), at the same path. */
  shared?: readonly string[]
  /** Further notes for `/readyz` and the log. */
  notes?: readonly string[]
  /** In production, refuses a host without cgroup v2. */
  requireCgroups?: boolean
  /** Between SIGINT and SIGKILL; 10 s unless said. */
  graceMs?: number
}
