import type { CacheScope } from '../../domain/pipelines/cache-scopes.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type BuildCache = { id: number; scope: CacheScope; digest: string }

/** What is kept between builds of one organization. */
export function buildCaches(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('build_caches').where({ organizationId })

  return {
    /** The first of these scopes that has the key, which counts as used now. */
    async use(
      pipelineId: number,
      { scopes, key }: { scopes: readonly CacheScope[]; key: string },
    ): Promise<BuildCache | undefined> {
      const found = await rows()
        .where({ pipelineId, key })
        .whereIn('scope', [...scopes])
        .select('id', 'scope', 'digest')
      const best = scopes.flatMap((scope) => found.filter((one) => one.scope === scope))[0]
      if (best) await rows().where({ id: best.id }).update({ usedAt: db.fn.now() })
      return best
    },

    /** False if the pipeline was deleted, or has one under this key: the first one stays. */
    async add(
      pipelineId: number,
      cache: { scope: CacheScope; key: string; digest: string; sizeBytes: number },
    ): Promise<boolean> {
      const { rows: added } = await db.raw(
        `insert into build_caches (organization_id, pipeline_id, scope, key, digest, size_bytes)
         select organization_id, id, :scope, :key, :digest, :sizeBytes from pipelines
         where organization_id = :organizationId and id = :pipelineId
         on conflict (pipeline_id, scope, key) do nothing returning 1`,
        { organizationId, pipelineId, ...cache },
      )
      return added.length === 1
    },

    /** Forgets the oldest beyond so many bytes, and names what nothing else in the organization has. */
    async shrink(pipelineId: number, maxBytes: number): Promise<string[]> {
      const { rows: gone } = await db.raw<{ rows: Array<{ id: number }> }>(oldestSql, [
        organizationId,
        pipelineId,
        maxBytes,
      ])
      return this.forget(gone.map(({ id }) => id))
    },

    /** Digests that no other row has: their bytes are to be removed. */
    async forget(ids: readonly number[]): Promise<string[]> {
      const removed: Array<{ digest: string }> = await rows()
        .whereIn('id', [...ids])
        .delete()
        .returning('digest')
      return this.unkept(removed.map(({ digest }) => digest))
    },

    async unkept(digests: readonly string[]): Promise<string[]> {
      const asked = [...new Set(digests)]
      const kept = new Set(await rows().whereIn('digest', asked).pluck('digest'))
      return asked.filter((digest) => !kept.has(digest))
    },
  }
}

/** The newest ones stay, as many as fit. */
const oldestSql = `select id from (
    select id, sum(size_bytes) over (order by created_at desc, id desc) as kept
    from build_caches where organization_id = ? and pipeline_id = ?) all_of_it
  where kept > ?`
