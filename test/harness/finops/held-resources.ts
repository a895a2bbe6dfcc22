import { unwrap } from '../../../store/driver/tenant.ts'
import { workspaceResources } from '../../../store/clouds/workspace-resources.ts'
import type { Store } from '../../../store/driver/connect.ts'

export type TestHeld = {
  cloudId: string
  address?: string
  type?: string
  attributes?: Record<string, string | number | boolean>
}

/** Makes these the resources that a workspace holds from a day on, as a state does: that of an apply, or a person's. */
export async function holdResources(
  store: Store,
  {
    organizationId,
    workspaceId,
    day,
    isConfirmed = true,
  }: { organizationId: number; workspaceId: number; day: string; isConfirmed?: boolean },
  held: readonly TestHeld[],
): Promise<void> {
  await store.tenant(organizationId, async (tenant) => {
    const renewal = workspaceResources(tenant).renewal(workspaceId, day, { isConfirmed })
    const rows = held.map((one, at) => ({
      address: `aws_instance.a[${at}]`,
      type: 'aws_instance',
      provider: 'aws',
      attributes: { instance_type: 'm5.large' },
      ...one,
    }))
    // In the order of their keys, as a state has them.
    const { rows: sorted } = await unwrap(tenant).db.raw(
      `select json_agg(r order by md5(r ->> 'cloudId')::uuid)::text as rows
       from json_array_elements(?::json) r`,
      [JSON.stringify(rows)],
    )
    if (held.length > 0) await renewal.add(sorted[0].rows)
    await renewal.end()
  })
}

/** Has what was held, ended or confirmed today be of an earlier day, that of a bill. */
export async function heldSince(
  store: Store,
  { organizationId, day }: { organizationId: number; day: string },
): Promise<void> {
  const today = new Date().toISOString().slice(0, 10)
  for (const field of ['heldFrom', 'heldTo', 'confirmedFrom'])
    await store
      .platform('workspace_resources')
      .where({ organizationId, [field]: today })
      .update({ [field]: day })
}
