import { notFound } from '../../domain/errors.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { StateVersion } from '../workspaces/state-versions.ts'

export type PlanSources = {
  /** Of the run's files. */
  filesSha256: string
  /** The workspace's current state. */
  state: Pick<StateVersion, 'serial' | 'lineage'> | undefined
  /** The newest entry of the workspace's authorship that no apply has settled, or 0. */
  authorshipThrough: number
}

type Row = Omit<PlanSources, 'state'> & { serial: number | null; lineage: string | null }

/** What a plan is made from beside the files themselves and the variables. */
export async function planSources(
  tenant: Tenant,
  { workspaceId, configurationVersionId }: { workspaceId: number; configurationVersionId: number },
): Promise<PlanSources> {
  const { db, organizationId } = unwrap(tenant)
  const [row] = await askPrepared<Row>(db, {
    name: 'plan-sources',
    text: `select c.files_sha256 as "filesSha256", s.serial, s.lineage,
      (select coalesce(max(a.id), 0) from workspace_authorship a where a.organization_id = $1
        and a.workspace_id = $2 and a.applied_at is null) as "authorshipThrough"
      from configuration_versions c
        left join lateral (select v.serial, v.lineage from state_versions v
          where v.organization_id = $1 and v.workspace_id = $2 and v.status = 'finalized'
          order by v.generation desc, v.serial desc limit 1) s on true
      where c.organization_id = $1 and c.id = $3`,
    values: [organizationId, workspaceId, configurationVersionId],
  })
  if (!row) throw notFound()
  const { serial, lineage, ...rest } = row
  return { ...rest, state: serial === null || lineage === null ? undefined : { serial, lineage } }
}
