import type { Db } from './driver/connect.ts'
import { unwrap, type Tenant } from './driver/tenant.ts'

/** One pair of a thing's labels. */
export type Label = readonly [key: string, value: string]

/** The ids of what has one of these labels, as a query. Compares text for equality alone, which an index serves. */
export function withLabel(tenant: Tenant, of: 'workspace' | 'pipeline', labels: readonly Label[]) {
  const { db, organizationId } = unwrap(tenant)
  return pairsOf(db, of)
    .where({ organizationId })
    .whereIn(
      ['key', 'value'],
      labels.map(([key, value]) => [key, value]),
    )
}

const pairsOf = (db: Db, of: 'workspace' | 'pipeline') =>
  of === 'workspace'
    ? db('workspace_labels').select({ id: 'workspaceId' })
    : db('pipeline_labels').select({ id: 'pipelineId' })
