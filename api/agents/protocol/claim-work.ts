import type { AgentCaller } from '../../../domain/agents/agent-caller.ts'
import { claimNext, type ClaimedWork } from '../../../app/agents/claim-next.ts'
import { prospectOf, type Held } from '../../../store/agents/host-work.ts'
import type { Deps } from '../../deps.ts'
import type { Gate } from '../../http/gate.ts'
import type { ClaimWait } from './claim-waits.ts'

type Claim = {
  wait: ClaimWait
  untilMs: number
  held: Held | undefined
  /** Lets few claims of the organization at once ask the store. */
  gate: Gate
}

/** What the agent is to do, as soon as there is something; undefined once the time is over. */
export async function claimWork(
  deps: Deps,
  agent: AgentCaller,
  { wait, untilMs, held, gate }: Claim,
): Promise<ClaimedWork | undefined> {
  for (;;) {
    // Taken before it is asked, so that a change in between is not missed.
    const changed = wait.changed()
    const { claimed, inSeconds } = await gate(async () => look(deps, agent, { wait, held }))
    if (claimed) return claimed
    if (wait.isOver()) return undefined
    const leftMs = untilMs - Date.now()
    if (leftMs <= 0) return undefined
    // Nothing was there: another claim was quicker, or a lease of a silent process is over soon.
    const againMs = inSeconds === null ? leftMs : Math.max(minAgainMs, inSeconds * 1_000)
    await either(changed, Math.min(leftMs, againMs))
    if (wait.isOver()) return undefined
  }
}

async function look(
  deps: Deps,
  agent: AgentCaller,
  { wait, held }: Pick<Claim, 'wait' | 'held'>,
): Promise<{ claimed?: ClaimedWork | undefined; inSeconds: number | null }> {
  if (wait.isOver()) return { inSeconds: null }
  const { inSeconds, isBehind } = await prospectOf(deps.store, agent, held)
  const isWorth = inSeconds === 0 || (inSeconds === null && isBehind)
  if (wait.isOver() || !isWorth) return { inSeconds }
  const claimed = await claimNext(deps, agent, held)
  return claimed === 'later' ? { inSeconds: minAgainMs / 1_000 } : { claimed, inSeconds }
}

const minAgainMs = 1_000

async function either(changed: Promise<void>, ms: number): Promise<void> {
  const timer = Promise.withResolvers<void>()
  const timeout = setTimeout(timer.resolve, ms)
  try {
    await Promise.race([changed, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
