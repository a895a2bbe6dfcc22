import type { AgentCaller } from '../../../domain/agents/agent-caller.ts'
import type { StateAfter } from '../../../domain/agents/state-after.ts'
import { notFound } from '../../../domain/errors.ts'
import { stripControls } from '../../../domain/secrets/strip-controls.ts'
import { actorOfAgent } from '../../../app/agents/actor-of-agent.ts'
import { endHostAction, hashOfResult } from '../../../app/agents/end-host-action.ts'
import type { MaskTexts } from '../../../gateways/masking/mask-texts.ts'
import { auditLog } from '../../../store/audit/audit-log.ts'
import { hostEnds } from '../../../store/agents/host-ends.ts'
import { hostWork, type HostWork } from '../../../store/agents/host-work.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { logLines } from '../../../store/runs/log-lines.ts'
import { stages } from '../../../store/runs/stages.ts'
import type { Deps } from '../../deps.ts'
import type { HostMasks } from './host-masks.ts'
import { hookReport } from './hook-report.ts'
import { leaseLost } from './lease-lost.ts'
import type { ResultBody } from './schemas.ts'

const maxMessageLength = 500

/**
 * Takes a host's result once, and has its run look at it. The same result again changes nothing; another one,
 * or one of a claim that is over, is refused.
 */
export async function takeResult(
  { store, masks }: { store: Deps['store']; masks: HostMasks },
  agent: AgentCaller,
  { id, ...result }: ResultBody & { id: number },
): Promise<void> {
  const { organizationId, agentId } = agent
  const mask = await masks(organizationId, { deploymentId: id, agentId })
  const message = await textOf(mask, result)
  await store.tenant(organizationId, async (tenant) => {
    const part = await hostWork(tenant).findForUpdate(id, agentId)
    if (!part) throw notFound()
    const hash = hashOfResult(result)
    const { action, isLeased, fence } = part
    if (part.resultFence === result.fence && part.resultHash?.equals(hash)) return
    if (action === null || !isLeased || fence !== result.fence) throw leaseLost()
    const work = { ...part, action }
    const release = result.release && {
      digest: result.release.digest,
      runId: result.release.runId ?? null,
    }
    await hostEnds(tenant).noteRuns(agentId, release)
    const after = await endHostAction(tenant, work, {
      ok: result.ok,
      release,
      message,
      result: { hash, hooks: result.hooks?.map(hookReport) },
    })
    await say(tenant, { work, agent, text: lineOf(work, { result, after, message }) })
    if (result.refused === true && !result.ok)
      await auditLog(tenant, actorOfAgent(agent)).record('agent.release_refused', {
        outcome: 'denied',
        target: { kind: 'agent', id: agentId, label: agent.name },
        detail: { deploymentId: id, action: work.action, because: message },
      })
  })
}

async function textOf(mask: MaskTexts, { message }: ResultBody): Promise<string | null> {
  if (!message) return null
  const [masked = ''] = await mask([stripControls(message)], maxMessageLength)
  return masked.slice(0, maxMessageLength)
}

type Line = { level: 'info' | 'error'; line: string }

function lineOf(
  { action }: HostWork,
  { result, after, message }: { result: ResultBody; after: StateAfter; message: string | null },
): Line {
  if (result.ok && !after.contradicts) return { level: 'info', line: `${action}: done` }
  const hook = result.hook ? ` in ${result.hook}` : ''
  const exit = typeof result.exitCode === 'number' ? `, exit code ${result.exitCode}` : ''
  const why = after.contradicts
    ? ': the agent says that another release runs'
    : message === null
      ? ''
      : `: ${message}`
  return { level: 'error', line: `${action}: failed${hook}${exit}${why}` }
}

/** In the log of the run, beside what the host printed. */
async function say(
  tenant: Tenant,
  { work, agent, text }: { work: HostWork; agent: AgentCaller; text: Line },
): Promise<void> {
  const all = await stages(tenant).ofRuns([{ id: work.deploymentId, workspaceRunId: null }])
  const stage = all.find(({ name }) => name === 'deploy')
  if (stage) await logLines(tenant).append(stage.id, [{ ...text, host: agent.name }])
}
