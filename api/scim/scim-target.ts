import type { Tenant } from '../../store/driver/tenant.ts'
import { Type } from 'typebox'

export const ScimIdParams = Type.Object({ id: Type.String({ maxLength: 200 }) })

/** Ids of SCIM are public ones, as text; those of other routes are numbers (access.ts). */
export const scimTarget =
  (find: (tenant: Tenant, id: string) => Promise<unknown>) =>
  async (tenant: Tenant, params: Record<string, number | string>) =>
    find(tenant, String(params['id']))
