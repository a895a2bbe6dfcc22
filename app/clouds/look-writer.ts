import { hash } from 'node:crypto'
import { cleanResource } from '../../domain/clouds/clean-resource.ts'
import type { FoundResource } from '../../domain/clouds/cloud-account.ts'
import { unavailable } from '../../domain/errors.ts'
import {
  stagedPages,
  type DigestedResource,
  type LookedSoFar,
} from '../../store/clouds/staged-pages.ts'
import type { Store } from '../../store/driver/connect.ts'

/** Compared with the store at once. */
const batchSize = 2_000
/** Held in memory at most, beside two batches; resources that are as they were count only by their id. */
const maxFound = 5_000
/** Of a batch, and of what is found: tags can be of any size. A page is the most that comes on top. */
const maxBytes = 2 * 1024 * 1024
/** What a crash repeats at most. Each part of a place is a row, also where nothing changed. */
const maxUnstagedMs = 30_000

export class TooMuchStaged extends Error {}

type At = {
  organizationId: number
  syncId: number
  placeId: number
  cloudAccountId: number
} & Pick<LookedSoFar, 'places' | 'number' | 'cursor' | 'isNew'>

/**
 * Writes the pages of one look, part by part. A batch is compared and written while the pages of the next one are
 * asked for: both take long, and the cloud is another machine.
 */
export function lookWriter(store: Pick<Store, 'tenant'>, at: At) {
  const part = partOf(store, at)
  let batch: Measured[] = []
  let batchBytes = 0
  let writing: Promise<unknown> = Promise.resolve()

  /** Takes the batch, whose last page is the one before `next`. Resolves once the batch before it is written. */
  const write = async (next: string | null, isEnd: boolean): Promise<void> => {
    const taken = batch
    batch = []
    batchBytes = 0
    await writing
    writing = (async () => {
      await part.add(taken)
      if (isEnd || part.isFull()) await part.stage(next)
    })()
    writing.catch(() => undefined)
  }
  return {
    add(resources: readonly FoundResource[]): void {
      for (const resource of resources) {
        const one = measured(resource)
        if (!one) continue
        batch.push(one)
        batchBytes += one.bytes
      }
    },
    /** Writes what is due of the pages before `next`. */
    async proceed(next: string | null): Promise<void> {
      if (batch.length >= batchSize || batchBytes >= maxBytes || part.isOld())
        await write(next, false)
    },
    /** Writes all pages before `next`, with which a later look begins. */
    async end(next: string | null): Promise<void> {
      await write(next, true)
      await writing
    },
    /** Where the last staged part ends, once nothing is under way. */
    async stagedUntil(): Promise<string | null> {
      await writing
      return part.stagedUntil()
    },
    /** Resolves once nothing is under way, also where it failed. */
    async settled(): Promise<void> {
      await writing.catch(() => undefined)
    },
  }
}

/** What was seen since the last staged page: ids of resources that are as they were, and all others whole. */
function partOf(store: Pick<Store, 'tenant'>, at: At) {
  const { organizationId } = at
  let { number, cursor: staged } = at
  let stagedAtMs = Date.now()
  let unchanged: number[] = []
  let found: DigestedResource[] = []
  let foundBytes = 0
  const isOld = () => Date.now() - stagedAtMs > maxUnstagedMs

  return {
    async add(batch: readonly Measured[]): Promise<void> {
      if (batch.length === 0) return
      const resources = batch.map(({ resource }) => resource)
      const ids = at.isNew
        ? new Map<number, number>()
        : await store.tenant(organizationId, async (tenant) =>
            stagedPages(tenant).unchangedOf(at, resources),
          )
      batch.forEach(({ resource, bytes }, position) => {
        const id = ids.get(position)
        if (id !== undefined) return unchanged.push(id)
        foundBytes += bytes
        return found.push(resource)
      })
    },
    isOld,
    isFull: () => found.length >= maxFound || foundBytes >= maxBytes || isOld(),
    stagedUntil: () => staged,
    async stage(next: string | null): Promise<void> {
      await store.tenant(organizationId, async (tenant) => {
        const outcome = await stagedPages(tenant).stage(at, { number, next, unchanged, found })
        // Either takes back what was written with the part.
        if (outcome === 'full') throw new TooMuchStaged()
        // Another attempt is ahead, or the sync is over: the next attempt reads where the look stands.
        if (outcome === 'taken')
          throw unavailable('cloud_place_taken', 'Another worker looks at this place.')
      })
      number += 1
      staged = next
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
