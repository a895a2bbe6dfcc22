import { unwrap, type Tenant } from '../driver/tenant.ts'
import { Model, raw } from 'objection'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Ownership } from '../../domain/git/owner-marker.ts'
import type { GitProduct, GitProvider } from '../../domain/git/providers.ts'
import { isUniqueViolation } from '../driver/connect.ts'

/** `pending`: being registered; `unavailable`: the host takes none from this token, and why. */
export type WebhookState = 'none' | 'pending' | 'active' | 'unavailable'
export type GitStatus = 'healthy' | 'invalid_token' | 'unreachable' | 'initializing' | 'error'

class GitConnectionRow extends Model {
  static override tableName = 'git_connections'
  declare id: number
  declare organizationId: number
  declare provider: GitProvider
  declare product: GitProduct
  declare host: string
  declare origin: string
  /** Sealed. */
  declare token: Buffer
  declare repoType: 'infra' | 'application'
  declare defaultRepo: string | null
  declare defaultBranch: string | null
  declare status: GitStatus
  declare statusReason: string | null
  declare checkedAt: Date
  /** Failed checks in a row since the last healthy one. */
  declare failedChecks: number
  /** Sealed. */
  declare webhookSecret: Buffer | null
  declare webhookUrl: string | null
  declare webhookSigned: boolean
  declare webhookState: WebhookState
  declare webhookReason: string | null
  declare createdBy: number | null
  declare createdAt: Date
  declare updatedAt: Date
}

export type GitConnection = Omit<GitConnectionRow, keyof Model | 'organizationId'>
type Made = 'id' | 'checkedAt' | 'failedChecks' | 'createdAt' | 'updatedAt'
type Webhook = 'webhookUrl' | 'webhookSigned' | 'webhookState' | 'webhookReason'
export type NewGitConnection = Omit<GitConnection, Made | Webhook | 'webhookSecret'> &
  Partial<Pick<GitConnection, 'webhookSecret' | 'webhookState'>>
export type GitClaim = { host: string; repositoryId: string; branch: string }

/** What a connection's token is sealed for: sealed text of another place does not open with it. */
export const placeOfToken = (organizationId: number) =>
  ({ organizationId, table: 'git_connections', column: 'token' }) as const

export const placeOfWebhookSecret = (organizationId: number) =>
  ({ organizationId, table: 'git_connections', column: 'webhook_secret' }) as const

/** The Git connections of one organization, and the branches that they own. */
export function gitConnections(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const rows = () => GitConnectionRow.query(db).where({ organizationId })

  return {
    async get(id: number): Promise<GitConnection> {
      const row = await rows().findOne({ id })
      if (!row) throw notFound()
      return row
    },

    async find(id: number): Promise<GitConnection | undefined> {
      return rows().findOne({ id })
    },

    /** Its defaults stay as they are until the transaction ends. */
    async getForShare(id: number): Promise<GitConnection> {
      const row = await rows().findOne({ id }).forShare()
      if (!row) throw notFound()
      return row
    },

    async getForUpdate(id: number): Promise<GitConnection> {
      const row = await rows().findOne({ id }).forUpdate()
      if (!row) throw notFound()
      return row
    },

    async list(limit: number, after: number): Promise<GitConnection[]> {
      return rows().where('id', '>', after).orderBy('id').limit(limit)
    },

    /** One connection of each host: the list of known hosts. */
    async hosts(): Promise<Array<Pick<GitConnection, 'host' | 'origin' | 'product'>>> {
      return rows().distinctOn('host').select('host', 'origin', 'product').orderBy('host')
    },

    async onHost(host: string): Promise<GitConnection[]> {
      return rows().where({ host }).orderBy('id')
    },

    async create(connection: NewGitConnection): Promise<GitConnection> {
      return GitConnectionRow.query(db).insertAndFetch({ organizationId, ...connection })
    },

    async update(id: number, change: Partial<NewGitConnection>): Promise<GitConnection> {
      const [row] = await rows()
        .where({ id })
        .patch({ ...change, updatedAt: new Date() })
        .returning('*')
      if (!row) throw notFound()
      return row
    },

    /** Stores the result of a check. Has no effect on a connection that was deleted meanwhile. */
    async setStatus(id: number, status: GitStatus, reason: string | null): Promise<void> {
      await rows()
        .where({ id })
        .patch({
          status,
          statusReason: reason?.slice(0, 500) ?? null,
          checkedAt: new Date(),
          ...(status === 'healthy' && { failedChecks: 0 }),
          ...(status !== 'healthy' &&
            status !== 'initializing' && {
              failedChecks: raw('failed_checks + 1'),
            }),
        })
    },

    /**
     * Compare-and-swap on the last check: a finding that is older than it is dropped. Otherwise a
     * slow reader that saw the marker missing would put a connection into `error` that has been
     * repaired meanwhile.
     */
    async setStatusSince(
      { id, status, checkedAt }: Pick<GitConnection, 'id' | 'status' | 'checkedAt'>,
      found: { status: GitStatus; reason: string },
    ): Promise<void> {
      const [row] = await rows()
        .where({ id, status })
        // A `Date` has milliseconds, the column microseconds.
        .whereRaw(`date_trunc('milliseconds', checked_at) = ?`, [checkedAt])
        .forUpdate()
      if (row) await this.setStatus(id, found.status, found.reason)
    },

    /** The secret of the connection's webhook; stores `fresh` if it has none yet. */
    async webhookSecret(id: number, fresh: Buffer): Promise<Buffer> {
      const { webhookSecret } = await this.getForUpdate(id)
      if (webhookSecret) return webhookSecret
      await rows().where({ id }).patch({ webhookSecret: fresh })
      return fresh
    },

    async setWebhook(
      id: number,
      found: { state: WebhookState; url: string | null; signed: boolean; reason: string | null },
    ): Promise<void> {
      await rows()
        .where({ id })
        .patch({
          webhookState: found.state,
          webhookUrl: found.url,
          webhookSigned: found.signed,
          webhookReason: found.reason?.slice(0, 500) ?? null,
        })
    },

    /** Shows why a delivery could not be read, until the webhook is registered anew. True if that is new. */
    async noteUnread(id: number, reason: string): Promise<boolean> {
      const noted = await rows()
        .where({ id })
        .whereRaw('webhook_reason is distinct from ?', [reason])
        .patch({ webhookReason: reason.slice(0, 500) })
      return noted === 1
    },

    /**
     * Takes a lease on the webhooks of a connection for one registration. Returns its end, which names this very
     * lease; undefined while another registration holds it.
     */
    async takeWebhookTurn(id: number, seconds: number): Promise<string | undefined> {
      const [taken] = await db('git_connections')
        .where({ organizationId, id })
        .where((free) => {
          void free.whereNull('webhookBusyUntil').orWhere('webhookBusyUntil', '<', db.fn.now())
        })
        .update({ webhookBusyUntil: db.raw(`now() + make_interval(secs => ?)`, [seconds]) })
        .returning(db.raw('webhook_busy_until::text as until'))
      return taken?.until
    },

    /** Has no effect on the lease of another registration, which has taken it since this one ran out. */
    async endWebhookTurn(id: number, until: string): Promise<void> {
      await db('git_connections')
        .where({ organizationId, id })
        .whereRaw('webhook_busy_until = ?::timestamptz', [until])
        .update({ webhookBusyUntil: null })
    },

    /** A host that has signed once must sign from then on. */
    async noteSigns(id: number): Promise<void> {
      await rows().where({ id }).patch({ webhookSigned: true })
    },

    /** Deletes the row, and with it the sealed token and the claim. */
    async delete(id: number): Promise<void> {
      await rows().where({ id }).delete()
    },

    async claimOf(connectionId: number): Promise<GitClaim | undefined> {
      return db('git_claims')
        .where({ organizationId, connectionId })
        .first('host', 'repositoryId', 'branch')
    },

    /**
     * Claims the branch for this connection, or throws 409. The unique index covers all
     * organizations, so of two concurrent claims one fails.
     */
    async release(connectionId: number): Promise<void> {
      await db('git_claims').where({ organizationId, connectionId }).delete()
    },

    async claim(connectionId: number, claim: GitClaim): Promise<void> {
      try {
        await db.transaction(async (savepoint) =>
          savepoint('git_claims')
            .insert({ organizationId, connectionId, ...claim })
            .onConflict('connectionId')
            .merge(),
        )
      } catch (error) {
        if (!isUniqueViolation(error, 'git_claims_branch')) throw error
        // Row-level security shows only claims of one's own organization; those are named in the error.
        const own = await db('git_claims')
          .where({ organizationId, ...claim })
          .first('connectionId')
        throw repoAlreadyConnected(own?.connectionId)
      }
    },

    /** Takes a lease on the branch for one writer; false while another holds it. */
    async takeTurn(connectionId: number, hydrationId: number, seconds: number): Promise<boolean> {
      const taken = await db('git_claims')
        .where({ organizationId, connectionId })
        .where((free) => {
          void free
            .whereNull('busyWith')
            .orWhere({ busyWith: hydrationId })
            .orWhere('busyUntil', '<', db.fn.now())
        })
        .update({
          busyWith: hydrationId,
          busyUntil: db.raw(`now() + make_interval(secs => ?)`, [seconds]),
        })
      return taken === 1
    },

    async endTurn(connectionId: number, hydrationId: number): Promise<void> {
      await db('git_claims')
        .where({ organizationId, connectionId, busyWith: hydrationId })
        .update({ busyWith: null, busyUntil: null })
    },

    /** What the marker on this connection's branch should say; undefined if it has no branch. */
    async ownershipOf(connectionId: number): Promise<Ownership | undefined> {
      const claim = await this.claimOf(connectionId)
      if (!claim) return undefined
      const { host, repositoryId: repository, branch } = claim
      const organization = await this.organizationPublicId()
      return { organization, host, repository, branch, connection: connectionId }
    },

    async organizationPublicId(): Promise<string> {
      const row = await db('organizations').where({ id: organizationId }).first('publicId')
      if (!row) throw notFound()
      return row.publicId
    },
  }
}

export const repoAlreadyConnected = (existingId?: number) =>
  conflict(
    'repo_already_connected',
    'This repository and branch are already connected.',
    existingId,
  )
