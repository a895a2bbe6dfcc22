import type { AgentFolder } from '../disk/agent-folder.ts'
import type { OutputFile } from '../output/output-file.ts'
import type { Say } from '../say.ts'
import type { Deployment } from '../service/read-claim.ts'
import type { Service } from '../service/service.ts'
import type { Trust } from '../trust.ts'
import type { Journal } from './journal.ts'
import type { Lease } from './lease.ts'
import type { Releases } from './releases.ts'

/** What the steps of one deployment share. */
export type Work = {
  deployment: Deployment
  folder: AgentFolder
  releases: Releases
  journal: Journal
  lease: Lease
  output: OutputFile
  service: Service
  trust: Trust
  /** Comes when the agent is to end: no step begins after it, and a hook has a while to finish. */
  ending: AbortSignal
  /** Comes when that while is over. */
  ended: AbortSignal
  say: Say
}
