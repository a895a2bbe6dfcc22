import type { Db } from '../connect.ts'

export type SamlRequestKind = 'login' | 'test' | 'logout'

export type NewSamlRequest = {
  id: string
  kind: SamlRequestKind
  relayState: string
  target?: string
  browserHash?: Buffer
  userId?: number
  nameId?: string
  sessionIndex?: string
}

export type SamlRequest = {
  id: string
  kind: SamlRequestKind
  relayState: string
  target: string | null
  browserHash: Buffer | null
  userId: number | null
  nameId: string | null
  sessionIndex: string | null
}

export const requestMinutes = 10

/** What one organization asked its identity provider, and what that has said already. */
export function samlRequests(db: Db, organizationId: number) {
  return {
    async create(request: NewSamlRequest): Promise<void> {
      await db('saml_requests').insert({
        organizationId,
        ...request,
        expiresAt: db.raw(`now() + make_interval(mins => ?)`, [requestMinutes]),
      })
    },

    /** Undefined once it was answered or is over. */
    async relayStateOf(id: string): Promise<string | undefined> {
      const row = await db('saml_requests')
        .where({ organizationId, id })
        .whereNull('takenAt')
        .where('expiresAt', '>', db.fn.now())
        .first('relayState')
      return row?.relayState
    },

    /** Compare-and-set: of fifty answers to it at once, over however many processes, one is given it. */
    async take(id: string, kinds: readonly SamlRequestKind[]): Promise<SamlRequest | undefined> {
      const [row] = await db('saml_requests')
        .where({ organizationId, id })
        .whereIn('kind', [...kinds])
        .whereNull('takenAt')
        .where('expiresAt', '>', db.fn.now())
        .update({ takenAt: db.fn.now() })
        .returning([
          'id',
          'kind',
          'relayState',
          'target',
          'browserHash',
          'userId',
          'nameId',
          'sessionIndex',
        ])
      return row
    },

    /** False where this message was taken before, by whichever process. */
    async see(messageId: string, expiresAt: Date): Promise<boolean> {
      const { rows } = await db.raw(
        `insert into saml_seen (organization_id, message_id, expires_at) values (?, ?, ?)
         on conflict do nothing returning message_id`,
        [organizationId, messageId, expiresAt],
      )
      return rows.length === 1
    },
  }
}
