import type { Store } from '../driver/connect.ts'

/** How many runs of applications may wait for a place or a slot of their organization, `most` at most. */
export async function lineOfApplications(
  store: Pick<Store, 'read'>,
  organizationId: number,
  most: number,
): Promise<number> {
  const [row] = await store.read<{ waiting: number }>(organizationId, {
    name: 'line-of-applications',
    text: `select count(*)::integer as waiting from (
      select from application_runs where organization_id = $1 and phase in ('queued', 'building') limit $2) w`,
    values: [organizationId, most],
  })
  return row?.waiting ?? 0
}
