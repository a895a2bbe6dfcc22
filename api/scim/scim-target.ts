import { Type } from 'typebox'
import type { Db } from '../../store/connect.ts'

export const ScimIdParams = Type.Object({ id: Type.String({ maxLength: 200 }) })

/** Ids of SCIM are public ones, as text; those of other routes are numbers (access.ts). */
export const scimTarget =
  (find: (db: Db, organizationId: number, id: string) => Promise<unknown>) =>
  async (db: Db, organizationId: number, params: Record<string, number | string>) =>
    find(db, organizationId, String(params['id']))
