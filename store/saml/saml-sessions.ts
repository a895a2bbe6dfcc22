import { unwrap, type Tenant } from '../driver/tenant.ts'
export type SamlPrincipalOfSession = {
  nameId: string
  nameIdFormat: string | null
  nameQualifier: string | null
  spNameQualifier: string | null
  sessionIndex: string | null
}

export type EndedSession = { id: number; userId: number }

const principal = [
  'samlNameId as nameId',
  'samlNameIdFormat as nameIdFormat',
  'samlNameQualifier as nameQualifier',
  'samlSpNameQualifier as spNameQualifier',
  'samlSessionIndex as sessionIndex',
]

/** Sessions by the names that the identity provider gave them (SAML core 3.7). */
export function samlSessions(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const live = (nameId: string) =>
    db('sessions')
      .where({ organizationId, kind: 'saml', samlNameId: nameId })
      .whereNull('revokedAt')
  return {
    /** Undefined for a session by password. */
    async principalOf(id: number): Promise<SamlPrincipalOfSession | undefined> {
      return db('sessions')
        .where({ organizationId, id, kind: 'saml' })
        .whereNotNull('samlNameId')
        .first(principal)
    },

    /** The newest session of this name, ended or not. */
    async latest(of: {
      userId: number | null
      nameId: string | null
      sessionIndex: string | null
    }): Promise<SamlPrincipalOfSession | undefined> {
      return db('sessions')
        .where({ organizationId, userId: of.userId, samlNameId: of.nameId })
        .whereRaw('saml_session_index is not distinct from ?', [of.sessionIndex])
        .orderBy('id', 'desc')
        .first(principal)
    },

    /** Ends the sessions of this name with these indexes. */
    async end(nameId: string, indexes: readonly string[]): Promise<EndedSession[]> {
      return live(nameId)
        .whereIn('samlSessionIndex', [...indexes])
        .update({ revokedAt: db.fn.now() })
        .returning(['id', 'userId'])
    },

    /** Ends all sessions of the person with this name, those of a password included. */
    async endAll(nameId: string): Promise<EndedSession[]> {
      return db('sessions')
        .where({ organizationId })
        .whereNull('revokedAt')
        .whereIn('userId', live(nameId).select('userId'))
        .update({ revokedAt: db.fn.now() })
        .returning(['id', 'userId'])
    },
  }
}
