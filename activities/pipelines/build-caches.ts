import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../domain/errors.ts'
import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { cacheScopes, maxCacheBytes } from '../../domain/pipelines/cache-scopes.ts'
import { keyOfCache, packCache, unpackCache } from '../../gateways/artifacts/build-cache.ts'
import { partName } from '../../gateways/artifacts/part-name.ts'
import { buildCaches } from '../../store/pipelines/build-caches.ts'
import type { Deps } from '../deps.ts'
import type { Attempt } from './begin-attempt.ts'
import type { OpenedSource } from './with-source.ts'

type Needed = Pick<Deps, 'store' | 'builds'>

/** A folder that the build is to keep, because nothing under this key is kept yet. */
export type CacheToSave = { path: string; key: string }

/**
 * Puts the folders that earlier builds kept in their places. What goes wrong with one is a warning: a
 * build without its cache takes longer, and nothing else.
 */
export async function restoreCaches(
  deps: Needed,
  attempt: Attempt,
  { opened, caches = [] }: { opened: OpenedSource; caches: Manifest['build']['cache'] },
): Promise<CacheToSave[]> {
  const missing: CacheToSave[] = []
  for (const { path, key: files } of caches)
    await orWarn(attempt, path, async () => {
      const { source, watch } = attempt
      const place = { folder: opened.folder, path, signal: watch.signal }
      const key = await keyOfCache(opened.bench, { ...place, files, source })
      if (key === undefined)
        return say(attempt, path, { what: 'is not used: a file of its key is not there' })
      if (!(await restoreOne(deps, attempt, { opened, path, key }))) missing.push({ path, key })
    })
  return missing
}

/** Keeps what a build that went well left in these folders. */
export async function saveCaches(
  deps: Needed,
  attempt: Attempt,
  { opened, caches }: { opened: OpenedSource; caches: readonly CacheToSave[] },
): Promise<void> {
  const { write } = scopesOf(attempt)
  if (write === null) return
  for (const { path, key } of caches)
    await orWarn(attempt, path, async () => {
      await withHostPath(deps, async (hostPath) => {
        const { signal } = attempt.watch
        const place = { folder: opened.folder, path, signal }
        if (!(await packCache(opened.bench, { ...place, hostPath, maxBytes: maxCacheBytes })))
          return say(attempt, path, { what: 'is not kept: the build left no such folder' })
        await keep(deps, attempt, { hostPath, key, scope: write })
        return say(attempt, path, { what: 'is kept for later builds' })
      })
    })
}

const scopesOf = ({ source }: Attempt) => cacheScopes(source, source.ownBranch)

async function restoreOne(
  { store, builds }: Needed,
  attempt: Attempt,
  { opened, path, key }: { opened: OpenedSource; path: string; key: string },
): Promise<boolean> {
  const { organizationId, source, watch } = attempt
  const { read, write } = scopesOf(attempt)
  const found = await store.tenant(organizationId, async (tenant) =>
    buildCaches(tenant).use(source.pipelineId, { scopes: read, key }),
  )
  if (!found) {
    await say(attempt, path, { what: 'is empty: no build kept one by this key' })
    return false
  }
  const bytes = await builds.caches.read(organizationId, found.digest)
  try {
    if (!bytes) throw new AppError('not_found', 'its bytes are gone')
    await withHostPath({ builds }, async (hostPath) => {
      // Whole and checked before a step sees any of it.
      await pipeline(bytes.stream, createWriteStream(hostPath, { mode: 0o600 }))
      const { bench, folder } = opened
      await unpackCache(bench, { folder, path, hostPath, signal: watch.signal })
    })
  } catch (error) {
    bytes?.stream.destroy()
    // Of another branch, it is not this build's to remove.
    if (!watch.signal.aborted && found.scope === write)
      await forget({ store, builds }, organizationId, found.id)
    throw error
  }
  await say(attempt, path, { what: `is restored, ${bytes.sizeBytes} bytes` })
  // Otherwise the first build of another branch would copy what it was lent.
  return true
}

async function keep(
  { store, builds }: Needed,
  { organizationId, source: { pipelineId }, watch }: Attempt,
  cache: { hostPath: string; key: string; scope: 'protected' | 'other' },
): Promise<void> {
  const { hostPath, key, scope } = cache
  const stored = await builds.caches.putFile(organizationId, hostPath, {
    maxBytes: maxCacheBytes,
    signal: watch.signal,
  })
  const digests = await store.tenant(organizationId, async (tenant) => {
    const caches = buildCaches(tenant)
    const isFirst = await caches.add(pipelineId, { scope, key, ...stored })
    return isFirst ? caches.shrink(pipelineId, maxCacheBytes) : caches.unkept([stored.digest])
  })
  for (const digest of digests) await builds.caches.remove(organizationId, digest)
}

/** So that the next build makes it anew. */
async function forget(
  { store, builds }: Needed,
  organizationId: number,
  id: number,
): Promise<void> {
  const digests = await store.tenant(organizationId, async (tenant) =>
    buildCaches(tenant).forget([id]),
  )
  for (const digest of digests) await builds.caches.remove(organizationId, digest)
}

async function withHostPath<T>(
  { builds }: Pick<Deps, 'builds'>,
  use: (hostPath: string) => Promise<T>,
): Promise<T> {
  await mkdir(builds.incomingDir, { recursive: true, mode: 0o700 })
  const name = `${await partName()}.cache`
  const hostPath = join(builds.incomingDir, name)
  try {
    return await use(hostPath)
  } finally {
    await rm(hostPath, { force: true })
  }
}

async function orWarn(attempt: Attempt, path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (attempt.watch.signal.aborted) throw error
    // Of other errors the text could have a path of this machine.
    const why = error instanceof AppError ? error.message : 'a fault on our side'
    await say(attempt, path, { what: `cannot be used: ${why}`, level: 'warn' })
  }
}

async function say(
  { log, mask }: Attempt,
  path: string,
  { what, level = 'info' }: { what: string; level?: 'info' | 'warn' },
): Promise<void> {
  const [line = ''] = await mask.lines([`The cache ${path} ${what}.`])
  await log.append([{ level, line }])
}
