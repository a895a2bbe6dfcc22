import { createHash } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { unpackArchive } from '../archive/unpack-archive.ts'
import { flushTree } from '../disk/flush-tree.ts'
import { flushFolder } from '../disk/write-durably.ts'
import { refuseRelease, Refusal } from '../faults.ts'
import type { Work } from './context.ts'
import { download } from './download.ts'
import type { HookEnd } from './journal.ts'
import { runStep } from './run-step.ts'

export type Prepared = { folder: string; failed?: HookEnd }

/**
 * Brings a verified release to this host, up to its hook `install`: fetch, unpack beside the running one. A release
 * that is installed already is taken as it is: for a rollback always, for a deployment if its variables are the same.
 */
export async function prepareRelease(work: Work): Promise<Prepared> {
  const { deployment, releases } = work
  const { digest, runId } = deployment.release
  const installKey = keyOf(work)
  const { folder, reused } = place(work, installKey)
  if (reused) return { folder }
  if (deployment.action === 'activate')
    throw new Refusal('not_installed', 'this host has not installed the release')
  await unpack(work, folder)
  const end = await runStep(work, { step: 'install', folder, hooks: deployment.hooks })
  if (end && end.state !== 'succeeded') return { folder, failed: end }
  if (!releases.known(folder))
    releases.remember(folder, {
      digest,
      runId,
      hooks: deployment.hooks,
      installKey,
      installedAt: new Date().toISOString(),
    })
  rmSync(archiveOf(work), { force: true })
  return { folder }
}

/** Decided once a deployment, so that a restart does not decide otherwise. */
function place({ deployment, journal, releases }: Work, installKey: string) {
  const before = journal.last('placed')
  if (before) return before
  const { action, release } = deployment
  const isAnyway = action === 'rollback' || action === 'activate'
  const found = releases.find(release.digest, isAnyway ? undefined : installKey)
  const placed = {
    is: 'placed' as const,
    folder: found ?? releases.nameFor(release.digest),
    reused: found !== undefined,
  }
  journal.note(placed)
  return placed
}

async function unpack(work: Work, folder: string): Promise<void> {
  const { deployment, journal, releases, lease, output, ending } = work
  const path = releases.pathOf(folder)
  if (journal.last('unpacked') && !journal.wasInstallCut() && existsSync(path)) return
  await lease.assertHeld()
  // What failed deployments left would fill the disk in time.
  await releases.keepNewest(deployment.keep, [folder])
  const signal = AbortSignal.any([lease.signal, ending])
  const archive = archiveOf(work)
  const part = `${path}.part`
  try {
    await fetch(work, archive, signal)
    await lease.assertHeld()
    await releases.remove(folder)
    await rm(part, { recursive: true, force: true })
    const { contentDigest, entries, bytes } = await unpackArchive(archive, part, { signal })
    if (contentDigest !== deployment.release.contentDigest)
      throw refuseRelease('digest_mismatch', 'the archive has another content than was signed')
    renameSync(part, path)
    flushFolder(work.folder.releases)
    await flushTree(path, entries)
    output.say('info', `unpacked ${entries} entries, ${bytes} bytes`)
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    if (error instanceof Refusal && error.refused) rmSync(archive, { force: true })
    throw error
  }
  await lease.assertHeld()
  journal.note({ is: 'unpacked' })
}

async function fetch(work: Work, archive: string, signal: AbortSignal): Promise<void> {
  const { deployment, folder, service, lease, output, say } = work
  const { id, fence, release } = deployment
  for (const name of readdirSync(folder.downloads))
    if (join(folder.downloads, name) !== archive)
      rmSync(join(folder.downloads, name), { force: true })
  const begun = performance.now()
  await download(release, archive, {
    service,
    route: `deployments/${id}/artifact?fence=${fence}`,
    signal,
    onLost: lease.lose,
    say,
  })
  const ms = Math.round(performance.now() - begun)
  output.say('info', `fetched ${release.sizeBytes} bytes in ${ms} ms`)
}

const archiveOf = ({ folder, deployment }: Work): string =>
  join(folder.downloads, deployment.release.digest.replace('sha256:', ''))

/** What `install` depends on, as a hash: variables may be secret. Of what the service sets, the run differs each time. */
const keyOf = ({ deployment }: Work): string =>
  createHash('sha256')
    .update(
      canonicalJson({
        install: deployment.hooks.install?.path ?? null,
        env: deployment.env
          .filter(({ key }) => !key.startsWith('CC_') || key.startsWith('CC_OUT_'))
          .map(({ key, value }) => `${key}=${value}`)
          .toSorted(),
      }),
    )
    .digest('hex')
