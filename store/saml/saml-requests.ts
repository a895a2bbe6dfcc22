import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Powers, Role } from '../../domain/access/roles.ts'
import { powerOfEditor, type Editor } from '../../domain/saml/power-of-editor.ts'
import { askPrepared } from '../driver/ask-prepared.ts'
import { certificatesOf, editorColumns } from './saml-configurations.ts'

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
  /** Until when a replay of the message is recognized. */
  until: Date
}

/** The organization and its configuration at the moment a response is consumed. */
export type TakenAnswer = {
  suspended: boolean
  /** Undefined if it was deleted meanwhile. */
  configuration: AnsweredConfiguration | undefined
}

export type AnsweredConfiguration = {
  enabled: boolean
  idpEntityId: string
  certificates: string[]
  attrEmail: string | null
  attrName: string | null
  attrGroups: string | null
  defaultRole: Role
  savedBy: number[]
  /** The powers of who saved it: the provider opens nothing above them. */
  power: Powers
}

export const requestMinutes = 10

/** The requests to an organization's identity provider, and the messages it sent. */
export function samlRequests(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    async create(request: NewSamlRequest): Promise<void> {
      await db('saml_requests').insert({
        organizationId,
        ...request,
        expiresAt: db.raw(`now() + make_interval(mins => ?)`, [requestMinutes]),
      })
    },

    /** Undefined once the request is answered or expired. */
    async relayStateOf(id: string): Promise<string | undefined> {
      const row = await db('saml_requests')
        .where({ organizationId, id })
        .whereNull('takenAt')
        .where('expiresAt', '>', db.fn.now())
        .first('relayState')
      return row?.relayState
    },

    /** Compare-and-swap: of many concurrent responses, in any process, one consumes the request. */
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
     * Consumes the request and notes its response as seen, in one statement: of many concurrent
     * responses to a request, or requests with one response, exactly one succeeds. A request stays
     * consumed even if its response was seen before.
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
          select o.status <> 'active' as suspended, c.enabled, c.idp_entity_id as "idpEntityId",
            ${certificatesOf('o.id')} as certificates, c.attr_email as "attrEmail",
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

    /** False if this message was seen before, by any process. */
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
type NoConfiguration = { [Column in Exclude<keyof StoredConfiguration, 'certificates'>]: null }
type TakenRow = { suspended: boolean } & (StoredConfiguration | NoConfiguration)

const isThere = (row: StoredConfiguration | NoConfiguration): row is StoredConfiguration =>
  row.enabled !== null

const toAnswered = (row: StoredConfiguration): AnsweredConfiguration => ({
  enabled: row.enabled,
  idpEntityId: row.idpEntityId,
  certificates: row.certificates,
  attrEmail: row.attrEmail,
  attrName: row.attrName,
  attrGroups: row.attrGroups,
  defaultRole: row.defaultRole,
  savedBy: row.savedBy,
  power: powerOfEditor(row),
})
