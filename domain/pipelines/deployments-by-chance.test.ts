import { expect, test } from 'vitest'
import { seededRandom, type Random } from '../../test/peers/saml/seeded-random.ts'
import type { HostStrategy } from '../manifest/resolve-strategy.ts'
import { batchSizes, confirmsAfter, pauseMsOf } from './batches.ts'
import {
  budgetOf,
  failuresOf,
  reachable,
  type DeployHost,
  type Deployment,
  type DeployStep,
} from './deployment.ts'
import { nextHosts } from './next-hosts.ts'

const rounds = 3_000

/** Deployments by chance: hosts that fail, are away or cannot go back, cancels, and people who confirm late. */
test(`${rounds} deployments by chance keep every rule, and end`, () => {
  const ends: Record<string, number> = {}
  for (let seed = 1; seed <= rounds; seed += 1) {
    const random = seededRandom(seed)
    const end = run(random, seed)
    const key = end.outcome === 'succeeded' ? `succeeded ${end.warnings.join()}` : end.reason
    ends[key] = (ends[key] ?? 0) + 1
  }
  // Each way to end was taken.
  for (const key of [
    'succeeded ',
    'succeeded hosts_failed',
    'deploy_errored',
    'canceled_by_user',
    'superseded',
  ])
    expect(ends[key], key).toBeGreaterThan(20)
})

type Host = { -readonly [Key in keyof DeployHost]: DeployHost[Key] } & { old: boolean }
type End = Extract<DeployStep, { do: 'end' }>

function run(random: Random, seed: number): End {
  const strategy = strategyOf(random)
  const hosts: Host[] = Array.from({ length: random.below(9) }, (_, at) => ({
    id: at + 1,
    state: random.chance(0.05) ? 'unreachable' : 'pending',
    batch: null,
    runsNew: false,
    endedAtMs: null,
    wasOnlineLately: random.chance(0.5),
    old: false,
  }))
  const hasEarlierRelease = random.chance(0.8)
  const failing = random.pick([0, 0, 0.05, 0.3])
  const stopAt = random.chance(0.2) ? random.below(30) : Number.POSITIVE_INFINITY
  const stopAs = random.pick(['canceled', 'replaced'] as const)
  const confirmed: number[] = []
  const updated = new Set<string>()
  let nowMs = 0
  for (let turn = 0; turn < 500; turn += 1) {
    const deployment: Deployment = {
      strategy,
      hosts,
      confirmed,
      stop: turn >= stopAt ? stopAs : null,
      hasEarlierRelease,
      agentsUntilMs: 5_000,
      probe: null,
    }
    const step = nextHosts(deployment, nowMs)
    expect(nextHosts(structuredClone(deployment), nowMs), `seed ${seed}`).toEqual(step)
    judge(deployment, { step, nowMs, updated, seed })
    if (step.do === 'end') return step
    if (step.do === 'update')
      for (const one of hosts.filter(({ id }) => step.hosts.includes(id)))
        Object.assign(one, { state: 'updating', batch: step.batch, action: step.action })
    if (step.do === 'stop')
      for (const one of hosts.filter(({ id }) => step.hosts.includes(id)))
        result(one, { random, ok: false, nowMs, blueGreen: strategy.kind === 'blue-green' })
    if (step.do === 'roll_back')
      for (const one of hosts.filter(({ id }) => step.hosts.includes(id)))
        one.state = 'rolling_back'
    if (step.do === 'confirm' && random.chance(0.5)) confirmed.push(step.step)
    nowMs += random.below(4_000)
    for (const one of hosts)
      if ((one.state === 'updating' || one.state === 'rolling_back') && random.chance(0.5))
        result(one, {
          random,
          ok: !random.chance(failing),
          nowMs,
          blueGreen: strategy.kind === 'blue-green',
        })
  }
  throw new Error(`seed ${seed}: it does not end`)
}

/** What a host says, as an agent does: before the switch a failure leaves the old release, after it mostly too. */
function result(
  host: Host,
  {
    random,
    ok,
    nowMs,
    blueGreen,
  }: { random: Random; ok: boolean; nowMs: number; blueGreen: boolean },
): void {
  host.endedAtMs = nowMs
  if (host.state === 'rolling_back') {
    host.state = ok ? 'rolled_back' : 'stuck'
    host.runsNew = !ok
  } else if (ok && blueGreen && host.batch === 1) host.state = 'staged'
  else {
    host.state = ok ? 'healthy' : 'failed'
    host.runsNew = ok || (random.chance(0.2) && !(blueGreen && host.batch === 1))
  }
}

type Seen = { step: DeployStep; nowMs: number; updated: Set<string>; seed: number }

/** The rules, each by what the hosts are, not by how the function decides. */
function judge(deployment: Deployment, { step, nowMs, updated, seed }: Seen): void {
  const { hosts, strategy, confirmed, stop } = deployment
  const say = `seed ${seed}`
  const counted = reachable(hosts)
  const isGoingBack = hosts.some(({ state }) => /^(rolling_back|rolled_back|stuck)$/.test(state))
  if (step.do === 'update') {
    expect(stop, say).toBeNull()
    expect(isGoingBack, say).toBe(false)
    // No host is changed once more failed than may.
    expect(failuresOf(deployment), say).toBeLessThanOrEqual(budgetOf(strategy))
    const chosen = hosts.filter(({ id }) => step.hosts.includes(id))
    expect(chosen.length, say).toBeGreaterThan(0)
    for (const { id, state } of chosen) {
      expect(['pending', 'staged'], say).toContain(state)
      const key = `${id} ${step.action}`
      expect(updated.has(key), say).toBe(false)
      updated.add(key)
    }
    if (strategy.kind !== 'blue-green') {
      // One batch at a time, as large as the strategy says.
      expect(
        hosts.some(({ state }) => state === 'updating'),
        say,
      ).toBe(false)
      const sizes = batchSizes(strategy, counted.length)
      expect(chosen.length, say).toBe(sizes[step.batch - 1])
      const before = counted.filter(({ batch }) => batch === step.batch - 1)
      const ended = Math.max(0, ...before.map(({ endedAtMs }) => endedAtMs ?? 0))
      if (step.batch > 1) expect(nowMs, say).toBeGreaterThanOrEqual(ended + pauseMsOf(strategy))
    } else if (step.action === 'activate') {
      // All are staged, and all are switched.
      expect(
        counted.every(({ state }) => state === 'staged'),
        say,
      ).toBe(true)
      expect(chosen.length, say).toBe(counted.length)
    }
    if (step.batch > 1 && confirmsAfter(strategy, step.batch - 1))
      expect(confirmed, say).toContain(step.batch - 1)
  }
  if (step.do === 'roll_back') {
    const order = step.hosts.map((id) => hosts.find((one) => one.id === id)?.batch ?? 0)
    expect(order, say).toEqual(order.toSorted((a, b) => b - a))
    expect(
      hosts.some(({ state }) => state === 'updating'),
      say,
    ).toBe(false)
    for (const id of step.hosts) expect(hosts.find((one) => one.id === id)?.runsNew, say).toBe(true)
  }
  if (step.do === 'end') judgeEnd(deployment, step, say)
}

function judgeEnd({ hosts, strategy, hasEarlierRelease, stop }: Deployment, end: End, say: string) {
  // Nothing is under way, so a run that ended leaves no host without an owner.
  for (const { state } of hosts) expect(['updating', 'rolling_back'], say).not.toContain(state)
  const counted = reachable(hosts)
  if (end.outcome === 'succeeded') {
    const bad = counted.filter(({ state }) => state !== 'healthy')
    expect(bad.length, say).toBeLessThanOrEqual(budgetOf(strategy))
    expect(end.warnings, say).toEqual(bad.length > 0 ? ['hosts_failed'] : [])
    expect(counted.length, say).toBeGreaterThan(0)
    return
  }
  const onNew = hosts.filter(({ runsNew }) => runsNew).map(({ id }) => id)
  if (stop === 'replaced') expect(end.reason, say).toBe('superseded')
  else if (hasEarlierRelease) {
    // Every host is back, or named.
    expect(end.mixed, say).toEqual(onNew)
    expect(end.warnings, say).toEqual(onNew.length > 0 ? ['mixed_releases'] : [])
  }
}

function strategyOf(random: Random): HostStrategy {
  const maxFailures = random.pick([0, 0, 1, 2])
  const seconds = random.pick([0, 0, 3])
  return random.pick<() => HostStrategy>([
    () => ({
      kind: 'rolling',
      batch: random.chance(0.5)
        ? { hosts: 1 + random.below(4) }
        : { percent: 1 + random.below(100) },
      pauseSeconds: seconds,
      maxFailures,
    }),
    () => ({
      kind: 'canary',
      steps: random.pick([[100], [5, 25, 100], [50, 100], [1, 2, 3, 100]]),
      bakeSeconds: seconds,
      confirm: random.pick(['none', 'first', 'each']),
      maxFailures,
    }),
    () => ({ kind: 'blue-green', confirm: random.pick(['none', 'each']), keepOldSeconds: 0 }),
    () => ({ kind: 'all-at-once', maxFailures }),
  ])()
}
