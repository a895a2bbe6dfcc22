import { Model } from 'objection'
import type { Capability } from '../../domain/access/roles.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { CostScopeKind } from '../../domain/finops/cost-scope.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export const notificationKinds = ['webhook', 'slack', 'teams', 'email'] as const
export type NotificationKind = (typeof notificationKinds)[number]

export type Recipients = { userIds: number[]; capability: Capability | null; owners: boolean }

class NotificationRow extends Model {
  static override tableName = 'notifications'
  static override jsonAttributes = ['recipients', 'events']
  declare id: number
  declare organizationId: number
  declare name: string
  declare kind: NotificationKind
  declare url: Buffer | null
  declare urlShown: string | null
  declare secret: Buffer | null
  /** Null for every kind but email. */
  declare recipients: Recipients | null
  declare events: string[]
  declare scopeKind: CostScopeKind | null
  declare scopeValue: string | null
  /** Decimal text. */
  declare minimumImpact: string | null
  declare digest: 'immediate' | 'daily'
  declare enabled: boolean
  declare failures: number
  declare failingSince: Date | null
  declare isSlow: boolean
  declare retryAt: Date
  declare toldAt: Date | null
  declare lastSentAt: Date | null
  declare lastStatus: number | null
  declare lastError: string | null
  declare createdAt: Date
  declare updatedAt: Date
}

export type Notification = Omit<
  NotificationRow,
  keyof Model | 'organizationId' | 'isSlow' | 'retryAt'
>
/** What a person writes. */
export type NotificationColumns = Pick<
  Notification,
  | 'name'
  | 'kind'
  | 'url'
  | 'urlShown'
  | 'secret'
  | 'recipients'
  | 'events'
  | 'scopeKind'
  | 'scopeValue'
  | 'minimumImpact'
  | 'digest'
  | 'enabled'
>

export const placeOfUrl = (organizationId: number) => ({
  organizationId,
  table: 'notifications',
  column: 'url',
})

export const placeOfSecret = (organizationId: number) => ({
  organizationId,
  table: 'notifications',
  column: 'secret',
})

export const placeOfOldSecret = (organizationId: number) => ({
  organizationId,
  table: 'notifications',
  column: 'old_secret',
})

const mostChannels = 300
/** The first key of the advisory lock, arbitrary; the second is the organization. */
const createLock = 1_846_203_577

/** The channels of one organization. */
export function notifications(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => NotificationRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<Notification> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    async find(id: number): Promise<Notification | undefined> {
      return rows().findOne({ id })
    },

    async getForUpdate(id: number): Promise<Notification> {
      const row = await rows().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    async list(limit: number, after: number): Promise<Notification[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    async create(columns: NotificationColumns): Promise<Notification> {
      // Otherwise requests at once could each find room for one more.
      await db.raw('select pg_advisory_xact_lock(?, ?)', [createLock, organizationId])
      if ((await rows().resultSize()) >= mostChannels)
        throw conflict(
          'notification_limit',
          `At most ${mostChannels} notifications an organization.`,
        )
      return NotificationRow.query(db).insertAndFetch({ organizationId, ...columns })
    },

    /** A changed address and an enabled channel are tried at once, whatever they did before. */
    async update(id: number, change: Partial<NotificationColumns>): Promise<Notification> {
      const [row] = await rows()
        .where({ id })
        .patch({ ...change, ...((change.url || change.enabled) && untried), updatedAt: new Date() })
        .returning('*')
      if (!row) throw notFound()
      return row
    },

    async delete(id: number): Promise<void> {
      await rows().where({ id }).delete()
    },

    /** All that are told of events: an organization has a limited number of channels. */
    async listEnabled(): Promise<Notification[]> {
      return rows().where({ enabled: true }).orderBy('id')
    },
  }
}

const untried = {
  failures: 0,
  failingSince: null,
  toldAt: null,
  lastSentAt: null,
  lastStatus: null,
  lastError: null,
  isSlow: false,
  retryAt: new Date(0),
}
