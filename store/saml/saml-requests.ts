import type { Powers, Role } from '../../domain/access/roles.ts'
import { powerOfEditor, type Editor } from '../../domain/saml/power-of-editor.ts'
import type { Db } from '../connect.ts'
import { askPrepared } from '../ask-prepared.ts'
import { editorColumns } from './saml-configurations.ts'

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

export type AnswerToTake = {
  requestId: string
  kind: SamlRequestKind
  messageId: string
  /** Until when the message is known as one that was seen. */
  until: Date
}

/** What the organization and its configuration say at the moment at which an answer is taken. */
export type TakenAnswer = {
  suspended: boolean
  /** Undefined where there is none any more. */
  configuration: AnsweredConfiguration | undefined
}

export type AnsweredConfiguration = {
  enabled: boolean
  attrEmail: string | null
  attrName: string | null
  attrGroups: string | null
  defaultRole: Role
  savedBy: number[]
  /** Of whoever saved it: it opens nothing above them. */
  power: Powers
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

    /**
     * Takes the request and notes its answer as seen, by one statement: of fifty answers at once,
     * or one answer to fifty requests, one is given something. A request stays taken whose answer
     * was seen before.
     */
    async takeAnswer(answer: AnswerToTake): Promise<TakenAnswer | undefined> {
      const { requestId, kind, messageId, until } = answer
      const [row] = await askPrepared<TakenRow>(db, {
        name: 'saml-take-answer',
        text: `with taken as (
            update saml_requests set taken_at = now()
            where organization_id = $1 and id = $2 and kind = $3
              and taken_at is null and expires_at > now()
            returning id),
          seen as (
            insert into saml_seen (organization_id, message_id, expires_at)
            select $1, $4, $5 from taken on conflict do nothing returning message_id)
          select o.status <> 'active' as suspended, c.enabled, c.attr_email as "attrEmail",
            c.attr_name as "attrName", c.attr_groups as "attrGroups",
            c.default_role as "defaultRole", c.saved_by as "savedBy", ${editorColumns}
          from seen join organizations o on o.id = $1
            left join saml_configurations c on c.organization_id = o.id
            left join users e on e.organization_id = c.organization_id and e.id = c.edited_by`,
        values: [organizationId, requestId, kind, messageId, until],
      })
      if (!row) return undefined
      const { suspended, ...stored } = row
      return { suspended, configuration: isThere(stored) ? toAnswered(stored) : undefined }
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

type StoredConfiguration = Omit<AnsweredConfiguration, 'power'> & Editor
type NoConfiguration = { [Column in keyof StoredConfiguration]: null }
type TakenRow = { suspended: boolean } & (StoredConfiguration | NoConfiguration)

const isThere = (row: StoredConfiguration | NoConfiguration): row is StoredConfiguration =>
  row.enabled !== null

const toAnswered = (row: StoredConfiguration): AnsweredConfiguration => ({
  enabled: row.enabled,
  attrEmail: row.attrEmail,
  attrName: row.attrName,
  attrGroups: row.attrGroups,
  defaultRole: row.defaultRole,
  savedBy: row.savedBy,
  power: powerOfEditor(row),
})
