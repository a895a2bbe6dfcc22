import type { AgentCaller } from '../../../domain/agents/agent-caller.ts'
import { offerProtocol } from '../../../domain/agents/agent-protocol.ts'
import { notFound } from '../../../domain/errors.ts'
import { noteFacts, renewLease, type Renewed } from '../../../store/agents/note-heartbeat.ts'
import type { Deps } from '../../deps.ts'
import { hookReport } from './hook-report.ts'
import { runningRelease } from './running-release.ts'
import type { HeartbeatBody } from './schemas.ts'

export type Heartbeat = Renewed & { paused: boolean }

/**
 * Notes what an agent says of itself, and makes its lease last again. An agent whose lease is over is told to
 * stop: another claim may hold its work.
 */
export async function takeHeartbeat(
  { store }: Pick<Deps, 'store'>,
  agent: AgentCaller,
  beat: HeartbeatBody,
): Promise<Heartbeat> {
  const { deploymentId, fence, hook, release } = beat
  const { paused } = await noteFacts(store, agent, {
    version: beat.version ?? null,
    os: beat.os ?? null,
    arch: beat.arch ?? null,
    protocol: offerProtocol(beat.protocols) ?? 0,
    release: runningRelease(release),
  })
  if (typeof deploymentId !== 'number' || typeof fence !== 'number')
    return { leaseUntil: null, stop: false, paused }
  const renewed = await renewLease(store, agent, {
    deploymentId,
    fence,
    hook: hook ? hookReport(hook) : null,
  })
  if (!renewed) throw notFound()
  return { ...renewed, paused }
}
