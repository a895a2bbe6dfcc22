import { contains } from './contains.ts'
import { unwrap, type Tenant } from './driver/tenant.ts'

export type LabelInUse = { key: string; value: string; workspaces: number; pipelines: number }

/**
 * The labels that workspaces and pipelines of the organization have, those with most uses first. Of `q`,
 * any part of key=value.
 */
export async function labelsInUse(
  tenant: Tenant,
  { q, limit }: { q?: string | undefined; limit: number },
): Promise<LabelInUse[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(
    `select key, value, sum(workspaces)::integer as workspaces, sum(pipelines)::integer as pipelines
     from (
       select key, value, count(*) as workspaces, 0 as pipelines from workspace_labels
         where organization_id = :organizationId group by key, value
       union all
       select key, value, 0, count(*) from pipeline_labels
         where organization_id = :organizationId group by key, value
     ) as used
     where key || '=' || value ilike :pattern
     group by key, value
     order by sum(workspaces) + sum(pipelines) desc, key, value
     limit :limit`,
    { organizationId, pattern: contains(q ?? ''), limit },
  )
  return rows
}
