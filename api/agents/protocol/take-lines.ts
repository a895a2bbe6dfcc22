import type { AgentCaller } from '../../../domain/agents/agent-caller.ts'
import { notFound } from '../../../domain/errors.ts'
import { stripControls } from '../../../domain/secrets/strip-controls.ts'
import { appendHostLines } from '../../../store/agents/append-host-lines.ts'
import type { Deps } from '../../deps.ts'
import type { HostMasks } from './host-masks.ts'
import { leaseLost } from './lease-lost.ts'
import type { LogsBody } from './schemas.ts'

/** As lines of other stages are (runner/stage-lines.ts). */
const maxLineLength = 8_192

/** Appends what a host printed to its run's log: masked, in order, and once, however often it is sent. */
export async function takeLines(
  { store, masks }: { store: Deps['store']; masks: HostMasks },
  agent: AgentCaller,
  { id, fence, batch, lines }: LogsBody & { id: number },
): Promise<void> {
  const { organizationId, agentId, name } = agent
  const mask = await masks(organizationId, { deploymentId: id, agentId })
  const masked = await mask(
    lines.map(({ line }) => stripControls(line)),
    maxLineLength,
  )
  const outcome = await appendHostLines(store, organizationId, {
    deploymentId: id,
    agentId,
    host: name,
    fence,
    batch,
    lines: lines.map(({ level = 'info' }, at) => ({
      level,
      line: (masked[at] ?? '').slice(0, maxLineLength),
    })),
  })
  if (outcome === 'unknown') throw notFound()
  if (outcome === 'lease_lost') throw leaseLost()
}
