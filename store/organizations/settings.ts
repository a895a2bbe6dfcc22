import type { Db } from '../connect.ts'

export type OrganizationSettings = {
  /** ISO 4217. */
  currency: string
  approvalExpiryHours: number
}

const defaults: OrganizationSettings = { currency: 'USD', approvalExpiryHours: 168 }

/** An organization's settings, defaults filled in. */
export async function organizationSettings(
  db: Db,
  organizationId: number,
): Promise<OrganizationSettings> {
  const row = await db('organizations').where({ id: organizationId }).first('settings')
  return { ...defaults, ...row?.settings }
}
