import { createHash } from 'node:crypto'
import {
  stateAfter,
  type RunningRelease,
  type StateAfter,
} from '../../domain/agents/state-after.ts'
import { hostEnds } from '../../store/agents/host-ends.ts'
import type { HostWork } from '../../store/agents/host-work.ts'
import type { HookReport } from '../../store/agents/note-heartbeat.ts'
import { releaseOfDeployment } from '../../store/agents/release-of-deployment.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { wakeDeployment } from './wake-deployment.ts'

export type HostEnd = {
  ok: boolean
  release: RunningRelease | null
  message: string | null
  /** Of the agent's own result; absent where the service ends the action. */
  result?: { hash: Buffer; hooks: readonly HookReport[] | undefined }
}

/** Ends what a host was to do, and has its run look at it. The host's row must be locked. */
export async function endHostAction(
  tenant: Tenant,
  work: HostWork,
  { ok, release, message, result }: HostEnd,
): Promise<StateAfter> {
  const { action, deploymentId, agentId, earlierRunId } = work
  const earlier =
    action === 'rollback' && earlierRunId !== null
      ? await releaseOfDeployment(tenant, earlierRunId)
      : undefined
  const after = stateAfter(
    { action, ok, release },
    {
      own: { digest: work.ownDigest, runId: deploymentId },
      asked: action === 'rollback' ? (earlier?.digest ?? '') : work.ownDigest,
      before: work.beforeDigest,
    },
  )
  const contradiction = 'The agent reported success, and that another release runs.'
  await hostEnds(tenant).settle(work, {
    state: after.state,
    runsNew: after.runsNew,
    message: after.contradicts ? contradiction : message,
    after: { digest: release?.digest ?? null, runId: release?.runId ?? null },
    ...(result && { result }),
  })
  // A host that catches up is of a deployment that is over: no workflow waits for it.
  if (!work.isOver)
    await wakeDeployment(tenant, deploymentId, `host:${agentId}:${work.fence}:${action}`)
  return after
}

/** Two results are the same if all that they say is. */
export const hashOfResult = (result: object): Buffer =>
  createHash('sha256').update(JSON.stringify(result)).digest()
