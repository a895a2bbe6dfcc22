import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { LoadedSlice } from './billing-slices.ts'

/** Rows against the slice that is replaced. */
export type Changes = { upserted: number; removed: number }

type Place = Pick<LoadedSlice, 'id' | 'sourceId' | 'period'>

const superseded = { state: 'superseded', isCurrent: false }

/**
 * How a slice becomes the one that readers see, or does not. The caller holds the source, so that of two
 * slices of one period one comes after the other.
 */
export function sliceMoves(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)
  const rows = () => db('billing_slices').where({ organizationId })

  return {
    /**
     * Compare-and-swap: readers see this slice in place of `replaced`, which is undefined for the first one
     * of its period. False if another slice is the current one by now. `isReread`: it has the rows of `replaced`,
     * read again out of the same files.
     */
    async makeCurrent(
      { id, sourceId, period }: Place,
      from: 'reading' | 'suspect',
      {
        replaced,
        isReread,
        ...found
      }: Changes & {
        replaced: number | undefined
        isReread: boolean
        completeThrough: string | null
      },
    ): Promise<boolean> {
      const current = await rows().where({ sourceId, period, isCurrent: true }).first('id')
      if (current?.id !== replaced) return false
      if (current) await rows().where({ id: current.id }).update(superseded)
      const moved = await rows().where({ id, state: from }).update({
        state: 'loaded',
        isCurrent: true,
        reason: null,
        recordsUpserted: found.upserted,
        recordsRemoved: found.removed,
        completeThrough: found.completeThrough,
        loadedAt: db.fn.now(),
      })
      if (moved === 0) throw new Error('The state of a slice changed under its lock.')
      // A whole export takes the place of a suspect one. What is only read again is older than that, and says nothing of it.
      if (!isReread) await rows().where({ sourceId, period, state: 'suspect' }).update(superseded)
      return true
    },

    /**
     * Kept beside the current one until a person decides, or another export comes. True if no other one of the
     * period waited for that.
     */
    async makeSuspect(
      { id, sourceId, period }: Place,
      { reason, upserted, removed }: { reason: string } & Changes,
    ): Promise<boolean> {
      const replaced = await rows().where({ sourceId, period, state: 'suspect' }).update(superseded)
      await rows().where({ id, state: 'reading' }).update({
        state: 'suspect',
        reason,
        recordsUpserted: upserted,
        recordsRemoved: removed,
      })
      return replaced === 0
    },

    async discard(id: number, from: 'reading' | 'suspect', reason: string): Promise<boolean> {
      const moved = rows().where({ id, state: from }).update({ state: 'discarded', reason })
      return (await moved) === 1
    },
  }
}

/** False if it is not the current one by now, or is complete so far already. */
export async function completeFurther(
  tenant: Tenant,
  id: number,
  through: string,
): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const moved = await db('billing_slices')
    .where({ organizationId, id, isCurrent: true })
    .whereRaw('coalesce(complete_through < :through, true)', { through })
    .update({ completeThrough: through })
  return moved === 1
}
