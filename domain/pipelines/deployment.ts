import type { HostStrategy } from '../manifest/resolve-strategy.ts'

export type HostState =
  /** Not begun. */
  | 'pending'
  /** Has a deployment of this run: of its release, or back to the earlier one. */
  | 'updating'
  | 'rolling_back'
  /** Blue-green: unpacked and checked, while the old release still serves. */
  | 'staged'
  | 'healthy'
  | 'failed'
  | 'rolled_back'
  /** Could not go back. */
  | 'stuck'
  /** Was offline when the deployment began. It is in no batch, and catches up when it returns. */
  | 'unreachable'

export type DeployHost = {
  id: number
  state: HostState
  /** From 1; null before its batch begins. */
  batch: number | null
  /** Whether `current` points to this run's release, by the host's last result. */
  runsNew: boolean
  /** Of its last result. */
  endedAtMs: number | null
  /** Of an unreachable host: whether it was online within 24 hours before the deployment. */
  wasOnlineLately: boolean
}

/** What the address has answered that the service asks from outside (`deploy.health.probe`). */
export type ProbeStanding = {
  everyMs: number
  askedAtMs: number | null
  /** When it last answered as it should. */
  okAtMs: number | null
  /** Bad answers in a row. */
  failures: number
}

/** So many bad answers in a row are one that counts: one alone may be the load balancer's. */
export const maxProbeFailures = 3

/** All that decides what comes next. Two calls with the same give the same. */
export type Deployment = {
  strategy: HostStrategy
  /** In the order in which they are updated. */
  hosts: readonly DeployHost[]
  /** Steps after which a person let the deployment go on. */
  confirmed: readonly number[]
  /** A person ended it, or a rollback by hand takes its place. */
  stop: 'canceled' | 'replaced' | null
  /** The release that hosts go back to is kept. */
  hasEarlierRelease: boolean
  /** Until when it waits for a first agent. */
  agentsUntilMs: number
  /** Null: no address is asked. */
  probe: ProbeStanding | null
}

export type DeployWarning = 'hosts_failed' | 'mixed_releases'
export type DeployReason = 'deploy_errored' | 'canceled_by_user' | 'superseded'

/** What the engine does next. */
export type DeployStep =
  | { do: 'update'; action: 'deploy' | 'install' | 'activate'; batch: number; hosts: number[] }
  /** For results; with a time, for that at the latest. */
  | { do: 'wait'; untilMs: number | null }
  | { do: 'confirm'; step: number }
  /** Asks the address from outside, and then asks again. */
  | { do: 'probe' }
  /** Ends what runs on these hosts, and then asks again. */
  | { do: 'stop'; hosts: number[] }
  /** All at once, listed by the newest batch first. */
  | { do: 'roll_back'; hosts: number[] }
  | { do: 'end'; outcome: 'succeeded'; warnings: DeployWarning[] }
  | {
      do: 'end'
      outcome: 'failed'
      reason: DeployReason
      /** Some host was changed, so a canceled run counts as failed. */
      changed: boolean
      rolledBack: boolean
      warnings: DeployWarning[]
      /** Hosts that keep this run's release, for the text and the next run. */
      mixed: number[]
    }

const over = new Set<HostState>(['healthy', 'failed', 'staged', 'rolled_back', 'stuck'])

export const isOver = ({ state }: DeployHost): boolean => over.has(state)

/** Hosts that the deployment counts on: shares are of these. */
export const reachable = (hosts: readonly DeployHost[]): DeployHost[] =>
  hosts.filter(({ state, batch }) => state !== 'unreachable' || batch !== null)

/**
 * Hosts that failed, or were lost in their batch. One that was offline at the beginning counts only where
 * no failure is allowed and it was online lately.
 */
export function failuresOf({ strategy, hosts }: Deployment): number {
  const isStrict = budgetOf(strategy) === 0
  return hosts.filter(
    ({ state, batch, wasOnlineLately }) =>
      state === 'failed' ||
      state === 'stuck' ||
      (state === 'unreachable' && (batch !== null || (isStrict && wasOnlineLately))),
  ).length
}

/** How many hosts may fail. All hosts of blue-green switch together, so none of them may. */
export const budgetOf = (strategy: HostStrategy): number =>
  strategy.kind === 'blue-green' ? 0 : strategy.maxFailures
