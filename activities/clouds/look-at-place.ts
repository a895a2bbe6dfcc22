import { lookWriter, TooMuchStaged } from '../../app/clouds/look-writer.ts'
import type { Place } from '../../domain/clouds/cloud-account.ts'
import { AppError } from '../../domain/errors.ts'
import type { Cloud } from '../../gateways/clouds/cloud.ts'
import type { CloudSync } from '../../store/clouds/cloud-syncs.ts'
import { stagedPages, type LookedSoFar } from '../../store/clouds/staged-pages.ts'
import { syncFaults } from '../../store/clouds/sync-faults.ts'
import { syncPlaces } from '../../store/clouds/sync-places.ts'
import type { Looked, SyncPlaceInput } from '../../workflows/clouds/contract.ts'
import type { Deps } from '../deps.ts'
import { askInTime, isKind, withCloud } from './cloud-activity.ts'
import { cloudStep } from './cloud-step.ts'

type Needed = Pick<Deps, 'store' | 'openCloud'>
type Look = {
  input: SyncPlaceInput
  cloud: Cloud
  sync: CloudSync
  soFar: LookedSoFar
  signal: AbortSignal
}

/**
 * Then the slot is given back, so that no organization holds it while others wait. Looked at between two pages, each
 * of which has its own limit (cloud-activity.ts).
 */
const maxLookMs = 60_000

/**
 * Reads a place page by page and writes what it finds part by part, so that after a crash it goes on at the page
 * after the last staged one. Idempotent: a part is staged once, and a place that is over is left alone.
 * `more`: the time of one call is over, and the next one goes on.
 */
export const lookAtPlace =
  (deps: Needed) =>
  async (input: SyncPlaceInput): Promise<Looked> =>
    cloudStep(deps, { ...input, kind: 'look' }, async (signal) => {
      const { organizationId, syncId, placeId } = input
      const looked = await withCloud(deps, input, async (cloud, sync) => {
        const soFar = await deps.store.tenant(organizationId, async (tenant) =>
          stagedPages(tenant).soFar(input),
        )
        if (!soFar || soFar.isOver) return 'done'
        try {
          return await look(deps, { input, cloud, sync, soFar, signal })
        } catch (error) {
          const outcome = outcomeOf(error)
          await deps.store.tenant(organizationId, async (tenant) => {
            if (outcome) await syncPlaces(tenant).drop({ syncId, placeId }, outcome)
            else if (isKind(error, 'throttled'))
              await syncFaults(tenant).notePlace({ syncId, placeId }, error.message)
          })
          if (!outcome) throw error
          return 'done'
        }
      })
      return looked ?? 'done'
    })

/** Why the place cannot be looked at; undefined if another attempt may succeed. */
function outcomeOf(error: unknown): Pick<Place, 'state' | 'reason'> | undefined {
  if (error instanceof TooMuchStaged) return { state: 'failed', reason: tooMany }
  if (error instanceof AppError && error.code === 'address_not_allowed')
    return { state: 'failed', reason: notAllowed }
  if (!isKind(error, 'denied', 'excluded', 'unreachable', 'page_token', 'changed')) return undefined
  const { kind, message: reason } = error
  return { state: kind === 'denied' || kind === 'excluded' ? kind : 'failed', reason }
}

const notAllowed = 'The endpoint redirects to an address that is not allowed. Change it.'
const tooMany = 'The sync found more than 2,000,000 resources. Limit the regions of the account.'

async function look(deps: Needed, { input, cloud, sync, soFar, signal }: Look): Promise<Looked> {
  const ask = async (cursor: string | null) =>
    askInTime(async (until) => cloud.resources(soFar.place, cursor, until), { signal })
  const { cloudAccountId } = sync
  const writer = lookWriter(deps.store, { ...input, ...soFar, cloudAccountId })

  const endsAtMs = Date.now() + maxLookMs
  let at = soFar.cursor
  let next = ask(at)
  try {
    for (;;) {
      const page = await next.catch(async (error: unknown) => {
        // Otherwise a cloud that throttles again before a part is full would give the same pages without end.
        if (isKind(error, 'throttled') && (await writer.stagedUntil()) !== at) await writer.end(at)
        throw error
      })
      at = page.next
      const isLast = at === null
      const isOver = isLast || Date.now() >= endsAtMs
      if (!isOver) {
        next = ask(at)
        next.catch(() => undefined)
      }
      writer.add(page.resources)
      if (!isOver) {
        await writer.proceed(at)
        continue
      }
      await writer.end(at)
      return isLast ? 'done' : 'more'
    }
  } finally {
    await writer.settled()
  }
}
