import { unwrap, type Tenant } from '../driver/tenant.ts'
import { workingPhases } from '../../domain/runs/run-state.ts'
import { withDefaults, type OrganizationSettings } from './settings.ts'

/** What decides whether a queued run may begin: settings, whether the organization is suspended, and the places in use. */
export async function roomForRuns(
  tenant: Tenant,
): Promise<{ settings: OrganizationSettings; active: boolean; working: number }> {
  const { db, organizationId } = unwrap(tenant)

  const row = await db('organizations as o')
    .where({ id: organizationId })
    .first(
      'o.settings',
      'o.status',
      db('workspace_runs')
        .where({ organizationId })
        .whereIn('phase', [...workingPhases])
        .count()
        .as('working'),
    )
  return {
    settings: withDefaults(row?.settings),
    active: row?.status === 'active',
    working: row?.working ?? 0,
  }
}
