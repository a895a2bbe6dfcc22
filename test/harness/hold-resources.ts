import type { Store } from '../../store/driver/connect.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import { unwrap } from '../../store/driver/tenant.ts'

export type HeldForTest = string | { cloudId: string; address?: string; type?: string }

/** Has a workspace hold exactly these resources from a day on, as a new state of it does. */
export async function holdResources(
  store: Store,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
  {
    day,
    resources,
    runId = null,
  }: { day: string; resources: readonly HeldForTest[]; runId?: number | null },
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    const renewal = workspaceResources(tenant).renewal(workspaceId, day, { runId })
    const rows = resources.map((one) => ({
      address: 'a.b',
      type: 'a',
      provider: 'aws',
      attributes: {},
      ...(typeof one === 'string' ? { cloudId: one } : one),
    }))
    // In the order of their keys, as a state has them.
    const { rows: sorted } = await unwrap(tenant).db.raw(
      `select json_agg(r order by md5(r ->> 'cloudId')::uuid)::text as rows from json_array_elements(?::json) r`,
      [JSON.stringify(rows)],
    )
    if (rows.length > 0) await renewal.add(sorted[0].rows)
    await renewal.end()
  })
}
