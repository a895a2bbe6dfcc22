import { loadBill } from '../../app/finops/load-bill.ts'
import { swapSlice } from '../../app/finops/swap-slice.ts'
import { Secret } from '../../config.ts'
import type { ProgramAnswer } from '../../gateways/duckdb/program/protocol.ts'
import { connectOwner, connectStore } from '../../store/driver/connect.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import type { startApi } from '../start-api.ts'

type Api = Awaited<ReturnType<typeof startApi>>

/** The organization of a seeded database, into which bills are loaded as the worker does. */
export async function openLoads(api: Api) {
  const store = connectStore(api.logins, 4)
  const owner = connectOwner(new Secret(api.databaseUrl))
  const { rows } = await owner.raw('select min(id) as id from organizations')
  const organizationId = Number(rows[0].id)
  let loads = 0
  return {
    /** Puts what was read into the place of this source's month. */
    async load(name: string, bill: ProgramAnswer): Promise<void> {
      const made = await owner.raw(
        `insert into billing_ingests (organization_id, trigger, state, ended_at)
         values (?, 'upload', 'succeeded', now()) returning id`,
        [organizationId],
      )
      const { id: sourceId } = await store.tenant(organizationId, async (tenant) =>
        billingSources(tenant).ensureNamed(name),
      )
      const ingestId = Number(made.rows[0].id)
      loads += 1
      const files = [{ key: 'bill' }]
      const at = {
        organizationId,
        ingestId,
        sourceId,
        uploadId: loads,
        files,
        bill,
        tagAliases: {},
      }
      for (const sliceId of await loadBill(store, at)) {
        const outcome = await swapSlice(store, { organizationId, sliceId })
        if (outcome !== 'loaded') throw new Error(`the slice is ${outcome}`)
      }
    },
    async close(): Promise<void> {
      await Promise.all([store.close(), owner.destroy()])
    },
  }
}

/** Asks for the cost of the last months again and again. Answers the longest wait in ms. */
export function askMeanwhile({ address, cookie }: Api): () => Promise<number> {
  let isOver = false
  let longest = 0
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now()
      const answer = await fetch(`${address}/api/finops/cost`, { headers: { cookie } })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`/api/finops/cost: ${answer.status}`)
      longest = Math.max(longest, performance.now() - since)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return longest
  })()
  return async () => {
    isOver = true
    return asking
  }
}
