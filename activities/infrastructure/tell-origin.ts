import { inParts, piecesOf } from '../../app/workspaces/state-in-parts.ts'
import type { Asks } from '../../gateways/runner/protocol.ts'
import type { Runner } from '../../gateways/runner/start-runner.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'
import { PlanForged } from '../../gateways/tofu/plan-file/plan-forged.ts'
import { stateOfSerial, stateVersions } from '../../store/workspaces/state-versions.ts'
import type { Deps } from '../deps.ts'
import type { LoadedRun } from './load-run.ts'

/**
 * Sends a runner the workspace's state of a serial and lineage when it asks, as it was written. `planned` is the state
 * that the run was loaded with.
 */
export const tellOrigin =
  (deps: Deps, runner: Runner, { organizationId, workspaceId, planned }: Place) =>
  async ({ serial, lineage }: Asks['origin']['ask']): Promise<Asks['origin']['answer']> => {
    // A runner reads a tenant's bytes.
    if (!Number.isSafeInteger(serial) || typeof lineage !== 'string')
      throw new Error('a runner named no state')
    // PostgreSQL has no text with a NUL.
    if (lineage.includes('\0')) return { known: false }
    if (!isSame(planned, { serial, lineage }))
      await assertMoved(deps, { organizationId, workspaceId, planned })
    const found = await stateOfSerial(deps.store, organizationId, { workspaceId, serial, lineage })
    if (!found) return { known: false }
    const version = await inParts(deps, { organizationId, version: found })
    for await (const piece of piecesOf(deps, { organizationId, version }))
      await runner.channel.sendPieces('origin', piece)
    await runner.channel.sendBlob('origin', Buffer.alloc(0))
    return { known: true }
  }

type Place = {
  organizationId: number
  workspaceId: number
  planned: LoadedRun['state']
}

/**
 * A plan that names another state of the workspace would be compared with that one. A state that was stored since the
 * run was loaded is no forgery: it makes the plan stale (`recordPlan`). Without a state OpenTofu names what it likes.
 */
async function assertMoved(
  { store }: Deps,
  { organizationId, workspaceId, planned }: Place,
): Promise<void> {
  if (!planned) return
  const current = await store.tenant(organizationId, async (tenant) =>
    stateVersions(tenant).current(workspaceId),
  )
  if (!isSame(planned, current)) return
  const { message } = new PlanForged("it names another state than the workspace's")
  throw new JobFailure('plan_forged', message)
}

const isSame = (one: LoadedRun['state'], other: LoadedRun['state']): boolean =>
  one?.serial === other?.serial && one?.lineage === other?.lineage
