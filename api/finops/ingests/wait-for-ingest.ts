import { setTimeout as sleep } from 'node:timers/promises'
import { billingIngests } from '../../../store/finops/billing-ingests.ts'
import type { Deps } from '../../deps.ts'

const waitMs = 25_000
/** A notification can be missed. */
const pollMs = 1_000

/** Waits until the ingest is over, or the time or the caller is. True if it is over. */
export async function waitForIngest(
  { store, changes }: Pick<Deps, 'store' | 'changes'>,
  { organizationId, ingestId }: { organizationId: number; ingestId: number },
  gone: AbortSignal,
): Promise<boolean> {
  const until = AbortSignal.any([gone, AbortSignal.timeout(waitMs)])
  let told = new AbortController()
  const unlisten = changes.on('cc_ingest', (id) => {
    if (id === '' || Number(id) === ingestId) told.abort()
  })
  try {
    for (;;) {
      told = new AbortController()
      const state = await store.tenant(organizationId, async (tenant) =>
        billingIngests(tenant).stateOf(ingestId),
      )
      if (state !== 'running') return true
      if (until.aborted) return false
      const signal = AbortSignal.any([until, told.signal])
      await sleep(pollMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    unlisten()
  }
}
