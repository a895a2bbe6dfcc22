import { randomBytes } from 'node:crypto'
import { probeStore } from '../../app/artifacts/probe-store.ts'
import { freshProbes } from '../../store/platform/artifact-probes.ts'
import type { Deps } from '../deps.ts'

export type CheckedPart = { ok: boolean; detail?: string }

/** Probes of a load balancer come each second, and a bucket is a network away. */
const everyMs = 10_000
/** A bucket that does not answer must not keep the other parts from being told. */
const patienceMs = 2_000

/** Whether API and workers have one artifact store that answers. */
export function checkArtifacts({ store, artifacts }: Deps): () => Promise<CheckedPart> {
  const probe = { name: `api-${randomBytes(8).toString('hex')}`, part: 'api' } as const
  let answer: Promise<CheckedPart> | undefined
  let askedAt = 0
  return async () => {
    if (!answer || performance.now() - askedAt > everyMs) {
      askedAt = performance.now()
      answer = ask().catch(() => unusable)
    }
    return Promise.race([answer, slow()])
  }

  async function ask(): Promise<CheckedPart> {
    const { unread } = await probeStore({ platform: store.platform, artifacts }, probe)
    const workers = await freshProbes(store.platform, 'worker')
    const blind = workers.filter(({ readsOthers }) => !readsOthers).length
    if (unread === 0 && blind === 0) return { ok: true }
    return {
      ok: false,
      detail: `${Math.max(unread, blind)} of ${workers.length} workers have another artifact store: CC_ARTIFACT_STORE must name one that all share`,
    }
  }
}

const unusable: CheckedPart = {
  ok: false,
  detail: 'the artifact store, or the database, cannot be used',
}

async function slow(): Promise<CheckedPart> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(unusable), patienceMs).unref()
  })
}
