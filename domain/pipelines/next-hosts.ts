import {
  budgetOf,
  failuresOf,
  isOver,
  maxProbeFailures,
  reachable,
  type DeployHost,
  type Deployment,
  type DeployReason,
  type DeployStep,
} from './deployment.ts'
import { batchSizes, confirmsAfter, pauseMsOf } from './batches.ts'

/**
 * What a deployment does next, from what its hosts said and the time alone. Asked again before anything
 * changed, it says the same, so a step that was lost is told again.
 */
export function nextHosts(deployment: Deployment, nowMs: number): DeployStep {
  const { hosts, stop } = deployment
  if (stop === 'replaced') return endReplaced(hosts)
  // Once a host went back, all do.
  const isGoingBack = hosts.some(({ state }) => /^(rolling_back|rolled_back|stuck)$/.test(state))
  const spent =
    failuresOf(deployment) > budgetOf(deployment.strategy) ||
    (deployment.probe?.failures ?? 0) >= maxProbeFailures
  if (isGoingBack || spent) return goBack(deployment, stop ? 'canceled_by_user' : 'deploy_errored')
  // All hosts are done, so there is nothing left to cancel.
  const counted = reachable(hosts)
  const isComplete =
    counted.length > 0 && counted.every(isFinal) && !probeOf(deployment, counted, nowMs)
  if (stop && !isComplete) return goBack(deployment, 'canceled_by_user')
  if (counted.length === 0) return waitForAgents(deployment, nowMs)
  return deployment.strategy.kind === 'blue-green'
    ? nextOfBlueGreen(deployment, nowMs)
    : nextBatch(deployment, nowMs)
}

const isFinal = ({ state, batch }: DeployHost): boolean =>
  state === 'healthy' || state === 'failed' || (state === 'unreachable' && batch !== null)

const idsOf = (hosts: readonly DeployHost[]): number[] => hosts.map(({ id }) => id)

function waitForAgents(deployment: Deployment, nowMs: number): DeployStep {
  const { agentsUntilMs } = deployment
  if (nowMs < agentsUntilMs) return { do: 'wait', untilMs: agentsUntilMs }
  return failed('deploy_errored', { changed: false, rolledBack: false, mixed: [] })
}

function nextBatch(deployment: Deployment, nowMs: number): DeployStep {
  const { strategy, hosts, confirmed } = deployment
  const counted = reachable(hosts)
  const last = Math.max(0, ...counted.map(({ batch }) => batch ?? 0))
  const ofLast = counted.filter(({ batch }) => batch === last && last > 0)
  if (ofLast.some((host) => !isFinal(host))) return { do: 'wait', untilMs: null }
  const pending = counted.filter(({ state }) => state === 'pending')
  const probe = last > 0 ? probeOf(deployment, ofLast, nowMs) : undefined
  if (probe) return probe
  if (pending.length === 0) return succeeded(counted)
  if (last > 0) {
    const untilMs = Math.max(...ofLast.map(({ endedAtMs }) => endedAtMs ?? 0)) + pauseMsOf(strategy)
    if (nowMs < untilMs) return watchUntil(deployment, untilMs, nowMs)
    if (confirmsAfter(strategy, last) && !confirmed.includes(last))
      return { do: 'confirm', step: last }
  }
  const sizes = batchSizes(strategy, counted.length)
  const size = sizes[Math.min(last, sizes.length - 1)] ?? pending.length
  // Hosts that came and went meanwhile: the last batch takes all that are left.
  const taken = last + 1 >= sizes.length ? pending : pending.slice(0, size)
  return { do: 'update', action: 'deploy', batch: last + 1, hosts: idsOf(taken) }
}

/** Unpacked on all hosts first, then switched on all at once. */
function nextOfBlueGreen(deployment: Deployment, nowMs: number): DeployStep {
  const { strategy, hosts, confirmed } = deployment
  const counted = reachable(hosts)
  const pending = counted.filter(({ state }) => state === 'pending')
  if (pending.length > 0)
    return { do: 'update', action: 'install', batch: 1, hosts: idsOf(pending) }
  if (counted.some(({ state }) => state === 'updating')) return { do: 'wait', untilMs: null }
  const staged = counted.filter(({ state }) => state === 'staged')
  if (staged.length === 0) return probeOf(deployment, counted, nowMs) ?? succeeded(counted)
  if (confirmsAfter(strategy, 1) && !confirmed.includes(1)) return { do: 'confirm', step: 1 }
  return { do: 'update', action: 'activate', batch: 2, hosts: idsOf(staged) }
}

/**
 * Asks the address from outside once these hosts were changed, until it answers well. Undefined where it has, or
 * none is asked.
 */
function probeOf(
  { probe }: Deployment,
  changed: readonly DeployHost[],
  nowMs: number,
): DeployStep | undefined {
  if (!probe) return undefined
  const changedAtMs = Math.max(0, ...changed.map(({ endedAtMs }) => endedAtMs ?? 0))
  const isNew = (atMs: number | null): atMs is number => atMs !== null && atMs >= changedAtMs
  if (probe.failures === 0 && isNew(probe.okAtMs)) return undefined
  if (!isNew(probe.askedAtMs)) return { do: 'probe' }
  const untilMs = probe.askedAtMs + probe.everyMs
  return nowMs < untilMs ? { do: 'wait', untilMs } : { do: 'probe' }
}

/** While a batch is watched, the address is asked again and again. */
function watchUntil({ probe }: Deployment, untilMs: number, nowMs: number): DeployStep {
  const nextMs = probe ? (probe.askedAtMs ?? 0) + probe.everyMs : Number.POSITIVE_INFINITY
  return nowMs < nextMs ? { do: 'wait', untilMs: Math.min(untilMs, nextMs) } : { do: 'probe' }
}

function succeeded(hosts: readonly DeployHost[]): DeployStep {
  const isAnyFailed = hosts.some(({ state }) => state !== 'healthy')
  return { do: 'end', outcome: 'succeeded', warnings: isAnyFailed ? ['hosts_failed'] : [] }
}

/** The budget is spent, or the run is canceled: what was changed goes back, the newest batch first. */
function goBack({ hosts, hasEarlierRelease }: Deployment, reason: DeployReason): DeployStep {
  const busy = hosts.filter(({ state }) => state === 'updating')
  if (busy.length > 0) return { do: 'stop', hosts: idsOf(busy) }
  const changed = hosts.some(
    ({ state, runsNew }) => runsNew || state === 'rolled_back' || state === 'stuck',
  )
  const onNew = hosts.filter(({ runsNew }) => runsNew)
  if (!hasEarlierRelease)
    return failed(reason, { changed, rolledBack: false, mixed: isMixed(hosts) ? idsOf(onNew) : [] })
  const toGo = onNew.filter(({ state }) => state !== 'rolling_back' && state !== 'stuck')
  if (toGo.length > 0)
    return {
      do: 'roll_back',
      hosts: idsOf(toGo.toSorted((a, b) => (b.batch ?? 0) - (a.batch ?? 0))),
    }
  if (hosts.some(({ state }) => state === 'rolling_back')) return { do: 'wait', untilMs: null }
  return failed(reason, {
    changed,
    rolledBack: hosts.some(({ state }) => state === 'rolled_back'),
    mixed: idsOf(hosts.filter(({ state }) => state === 'stuck')),
  })
}

/** Some hosts run this run's release and others do not. */
const isMixed = (hosts: readonly DeployHost[]): boolean =>
  hosts.some(({ runsNew }) => runsNew) && hosts.some(({ runsNew }) => !runsNew)

/** A rollback by hand brings every host to its own release, so nothing goes back here. */
function endReplaced(hosts: readonly DeployHost[]): DeployStep {
  const busy = hosts.filter(({ state }) => state === 'updating' || state === 'rolling_back')
  if (busy.length > 0) return { do: 'stop', hosts: idsOf(busy) }
  const changed = hosts.some((host) => host.batch !== null && isOver(host))
  return failed('superseded', { changed, rolledBack: false, mixed: [] })
}

function failed(
  reason: DeployReason,
  rest: { changed: boolean; rolledBack: boolean; mixed: number[] },
): DeployStep {
  const warnings = rest.mixed.length > 0 ? (['mixed_releases'] as const) : []
  return { do: 'end', outcome: 'failed', reason, ...rest, warnings: [...warnings] }
}
