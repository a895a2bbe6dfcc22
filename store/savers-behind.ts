import type { Caller } from '../domain/access/caller.ts'
import { unwrap, type Tenant } from './driver/tenant.ts'

type Credential = Pick<Caller, 'kind' | 'credentialId'>

/**
 * Who configured the identity provider that opened this session, or the session in which this token was made: they
 * could act as its person. Null for a session by password.
 */
export async function saversBehind(
  tenant: Tenant,
  { kind, credentialId }: Credential,
): Promise<number[] | null> {
  const { db, organizationId } = unwrap(tenant)
  const table = kind === 'session' ? 'sessions' : 'tokens'
  const row = await db(table).where({ organizationId, id: credentialId }).first('idpSavedBy')
  return row?.idpSavedBy ?? null
}
