import type { Tenant } from '../../store/driver/tenant.ts'
import type { RunPlace } from './present-runs.ts'

export type RunScope = {
  /** What the run is addressed through. */
  noun: 'Pipeline' | 'Workspace'
  /** The run's place there. Throws not-found for a run of another organization. */
  place: (
    tenant: Tenant,
    params: { id: number; runId: number },
  ) => Promise<RunPlace & { workspaceId: number | null }>
}
