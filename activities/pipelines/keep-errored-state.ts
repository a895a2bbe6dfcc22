import { createHash } from 'node:crypto'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import type { LoadedRun } from './load-run.ts'

/** As large as a state may be that is saved. */
const maxBytes = 128 * 1024 * 1024

/**
 * A state that could not be saved is the only trace of what was made: it is kept, though never
 * made current. The runner has looked into it; here it is bytes.
 */
export function keepErroredState(deps: Deps, loaded: LoadedRun, patienceMs: number) {
  const { organizationId, run } = loaded
  const pieces: Buffer[] = []
  let length = 0
  return {
    async add(name: string, bytes: Buffer): Promise<void> {
      length += bytes.length
      if (name !== 'errored_state' || length > maxBytes)
        throw new Error('a runner sent what an apply does not have')
      pieces.push(Buffer.from(bytes))
    },

    async keep({ serial, lineage }: { serial: number; lineage: string }): Promise<void> {
      const body = Buffer.concat(pieces)
      const bodySha256 = createHash('sha256').update(body).digest('hex')
      await retryWhileUnavailable(
        async () =>
          deps.store.tenant(organizationId, async (db) => {
            const versions = stateVersions(db, organizationId)
            // The state endpoint has kept what it refused.
            const kept = await versions.quarantinedOfRun(run.id)
            if (kept.some((version) => version.bodySha256 === bodySha256)) return
            await versions.create({
              workspaceId: run.workspaceId,
              serial,
              lineage,
              status: 'quarantined',
              reason: 'state_save_failed',
              body: deps.keyring.seal(
                { organizationId, table: 'state_versions', column: 'body' },
                body,
              ),
              bodySha256,
              workspaceRunId: run.id,
              createdBy: `run ${run.id}`,
            })
          }),
        patienceMs,
      )
    },
  }
}
