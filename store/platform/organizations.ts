import type { PlatformDb, Store } from '../driver/connect.ts'

export type Organization = {
  id: number
  slug: string
  name: string
  status: 'active' | 'suspended'
  createdAt: Date
}

/** Whom an organization's first channel of notifications mails (docs/notifications.md). */
const firstRecipients = { userIds: [], capability: 'manage_cloud_accounts', owners: true }

/** All organizations, for platform administration and the first start. No tenant's data is read here. */
export function organizations(db: PlatformDb) {
  const columns = ['id', 'slug', 'name', 'status', 'createdAt']
  return {
    async create(slug: string, name: string): Promise<Organization> {
      const { rows } = await db.raw(
        `with made as (insert into organizations (slug, name) values (?, ?)
           returning id, slug, name, status, created_at as "createdAt"),
         told as (
           insert into notifications (organization_id, name, kind, recipients, events, digest)
           select id, 'Cost and cloud accounts', 'email', ?::jsonb, '["*"]', 'daily' from made)
         select * from made`,
        [slug, name, JSON.stringify(firstRecipients)],
      )
      return rows[0]
    },
    async list(limit: number, after: number): Promise<Organization[]> {
      return db('organizations').select(columns).where('id', '>', after).orderBy('id').limit(limit)
    },
    async findBySlug(slug: string): Promise<Organization | undefined> {
      return db('organizations').where({ slug }).first(columns)
    },
    async getForUpdate(id: number): Promise<Organization | undefined> {
      return db('organizations').where({ id }).forNoKeyUpdate().first(columns)
    },
    async setStatus(id: number, status: 'active' | 'suspended'): Promise<Organization | undefined> {
      return db.transaction(async (trx) => {
        const [row] = await trx('organizations').where({ id }).update({ status }).returning(columns)
        // Sessions end for good: after the organization is resumed, people sign in again. A sign-in that began before
        // the suspension may have opened one during it, so resuming ends sessions too.
        await trx('sessions')
          .where({ organizationId: id })
          .whereNull('revokedAt')
          .update({ revokedAt: trx.fn.now() })
        return row
      })
    },
    async any(): Promise<boolean> {
      return (await db('organizations').first('id')) !== undefined
    },
  }
}

/** Whether more than one organization is active. */
export async function severalActive(store: Pick<Store, 'lookUp'>): Promise<boolean> {
  const active = await store.lookUp({
    name: 'several-active',
    text: `select id from organizations where status = 'active' limit 2`,
    values: [],
  })
  return active.length > 1
}
