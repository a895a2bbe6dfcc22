import { hash } from 'node:crypto'
import { cleanResource } from '../../domain/clouds/clean-resource.ts'
import type { FoundResource, Place } from '../../domain/clouds/cloud-account.ts'
import { AppError, unavailable } from '../../domain/errors.ts'
import type { Cloud } from '../../gateways/clouds/cloud.ts'
import type { CloudSync } from '../../store/clouds/cloud-syncs.ts'
import {
  stagedPages,
  type DigestedResource,
  type LookedSoFar,
} from '../../store/clouds/staged-pages.ts'
import { syncFaults } from '../../store/clouds/sync-faults.ts'
import { syncPlaces } from '../../store/clouds/sync-places.ts'
import type { Looked, SyncPlaceInput } from '../../workflows/clouds/contract.ts'
import type { Deps } from '../deps.ts'
import { askThrice, cloudActivity, isKind, withCloud } from './cloud-activity.ts'

type Needed = Pick<Deps, 'store' | 'openCloud'>
type Look = {
  input: SyncPlaceInput
  cloud: Cloud
  sync: CloudSync
  soFar: LookedSoFar
  signal: AbortSignal
}

/** Compared with the store at once. */
const batchSize = 2_000
/** Held in memory at most; resources that are as they were count only by their id. */
const maxFound = 5_000
/** Of a batch, and of what is found: tags can be of any size. A page is the most that comes on top. */
const maxBytes = 2 * 1024 * 1024
/** What a crash repeats at most. Each part of a place is a row, also where nothing changed. */
const maxUnstagedMs = 30_000
/** Then the slot is given back, so that no organization holds it while others wait. */
const maxLookMs = 60_000

/**
 * Reads a place page by page and stages what it finds, so that after a crash it goes on at the page
 * after the last staged one. Idempotent: a part is staged once, and a place that is over is left alone.
 * `more`: the time of one call is over, and the next one goes on.
 */
export const lookAtPlace =
  (deps: Needed) =>
  async (input: SyncPlaceInput): Promise<Looked> =>
    cloudActivity(async (signal) => {
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
  if (!isKind(error, 'denied', 'excluded', 'unreachable', 'page_token')) return undefined
  const { kind, message: reason } = error
  return { state: kind === 'denied' || kind === 'excluded' ? kind : 'failed', reason }
}

class TooMuchStaged extends Error {}
const notAllowed = 'The endpoint redirects to an address that is not allowed. Change it.'
const tooMany = 'The sync found more than 2,000,000 resources. Limit the regions of the account.'

async function look(deps: Needed, { input, cloud, sync, soFar, signal }: Look): Promise<Looked> {
  const place = { ...soFar, state: 'ok' as const, reason: null }
  const ask = async (cursor: string | null) =>
    askThrice(async () => cloud.resources(place, cursor, signal), signal)
  const part = partOf(deps, { input, sync, soFar })

  const endsAtMs = Date.now() + maxLookMs
  let staged = soFar.cursor
  let at = staged
  let next = ask(at)
  for (;;) {
    const page = await next.catch(async (error: unknown) => {
      // Otherwise a cloud that throttles again before a part is full would give the same pages without end.
      if (isKind(error, 'throttled') && at !== staged) await part.stage(at)
      throw error
    })
    const isLast = page.next === null
    const isSpent = Date.now() >= endsAtMs
    if (!isLast && !isSpent) {
      // Asked while this page is compared: the cloud's answer is what takes long.
      next = ask(page.next)
      next.catch(() => undefined)
    }
    await part.add(page.resources)
    at = page.next
    if (isLast || isSpent || part.isFull()) {
      await part.stage(at)
      staged = at
    }
    if (isLast) return 'done'
    if (isSpent) return 'more'
  }
}

/** The pages since the last staged one: ids of resources that are as they were, and all others whole. */
function partOf(
  { store }: Needed,
  { input, sync, soFar }: { input: SyncPlaceInput; sync: CloudSync; soFar: LookedSoFar },
) {
  const { organizationId, syncId, placeId } = input
  const at = { cloudAccountId: sync.cloudAccountId, placeId, places: soFar.places }
  let { number } = soFar
  let stagedAtMs = Date.now()
  let batch: Measured[] = []
  let batchBytes = 0
  let unchanged: number[] = []
  let found: DigestedResource[] = []
  let foundBytes = 0

  const compare = async () => {
    if (batch.length === 0) return
    const resources = batch.map(({ resource }) => resource)
    const ids = await store.tenant(organizationId, async (tenant) =>
      stagedPages(tenant).unchangedOf(at, resources),
    )
    batch.forEach(({ resource, bytes }, position) => {
      const id = ids.get(position)
      if (id !== undefined) return unchanged.push(id)
      foundBytes += bytes
      return found.push(resource)
    })
    batch = []
    batchBytes = 0
  }
  return {
    async add(resources: readonly FoundResource[]): Promise<void> {
      for (const resource of resources) {
        const one = measured(resource)
        if (!one) continue
        batch.push(one)
        batchBytes += one.bytes
      }
      if (batch.length >= batchSize || foundBytes + batchBytes >= maxBytes) await compare()
    },
    isFull: () =>
      found.length >= maxFound || foundBytes >= maxBytes || Date.now() - stagedAtMs > maxUnstagedMs,
    async stage(next: string | null): Promise<void> {
      await compare()
      const part = { number, next, unchanged, found }
      const staged = await store.tenant(organizationId, async (tenant) =>
        stagedPages(tenant).stage({ syncId, placeId }, part),
      )
      // Another attempt is ahead, or the sync is over: the next attempt reads where the look stands.
      if (staged === 'full') throw new TooMuchStaged()
      if (staged === 'taken')
        throw unavailable('cloud_place_taken', 'Another worker looks at this place.')
      number += 1
      stagedAtMs = Date.now()
      unchanged = []
      found = []
      foundBytes = 0
    },
  }
}

type Measured = { resource: DigestedResource; bytes: number }

function measured(resource: FoundResource): Measured | undefined {
  const clean = cleanResource(resource)
  if (!clean) return undefined
  const { service, type, name, region, tags } = clean
  const text = JSON.stringify([service, type, name, region, tags])
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(clean.cloudId)
  return { resource: { ...clean, digest: hash('sha256', text, 'base64') }, bytes }
}
