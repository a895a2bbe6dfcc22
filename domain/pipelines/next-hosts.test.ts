import { describe, expect, test } from 'vitest'
import { ofHosts, resolveStrategy, type HostStrategy } from '../manifest/resolve-strategy.ts'
import type { DeployHost, Deployment } from './deployment.ts'
import { nextHosts } from './next-hosts.ts'

const strategy = (label: string): HostStrategy => {
  const found = resolveStrategy(label)
  if (!found) throw new Error(`no strategy ${label}`)
  return ofHosts(found)
}
const host = (id: number, more: Partial<DeployHost> = {}): DeployHost => ({
  id,
  state: 'pending',
  batch: null,
  runsNew: false,
  endedAtMs: null,
  wasOnlineLately: true,
  ...more,
})
const healthy = (id: number, batch: number, endedAtMs = 1_000) =>
  host(id, { state: 'healthy', batch, runsNew: true, endedAtMs })
const failed = (id: number, batch: number, runsNew = false) =>
  host(id, { state: 'failed', batch, runsNew, endedAtMs: 1_000 })
const deployment = (more: Partial<Deployment>): Deployment => ({
  strategy: strategy('rolling'),
  hosts: [],
  confirmed: [],
  stop: null,
  hasEarlierRelease: true,
  agentsUntilMs: 0,
  probe: null,
  ...more,
})
const pending = (...ids: number[]) => ids.map((id) => host(id))
const fails = (more: object) => ({
  do: 'end',
  outcome: 'failed',
  reason: 'deploy_errored',
  changed: true,
  rolledBack: false,
  warnings: [],
  mixed: [],
  ...more,
})

describe('rolling', () => {
  test('a quarter, and the next quarter after it', () => {
    const hosts = pending(1, 2, 3, 4, 5)
    expect(nextHosts(deployment({ hosts }), 0)).toEqual({
      do: 'update',
      action: 'deploy',
      batch: 1,
      hosts: [1, 2],
    })
    const during = [healthy(1, 1), host(2, { state: 'updating', batch: 1 }), ...pending(3, 4, 5)]
    expect(nextHosts(deployment({ hosts: during }), 0)).toEqual({ do: 'wait', untilMs: null })
    const after = [healthy(1, 1), healthy(2, 1), ...pending(3, 4, 5)]
    expect(nextHosts(deployment({ hosts: after }), 1_000)).toMatchObject({
      batch: 2,
      hosts: [3, 4],
    })
  })

  test('a pause begins with the last host of a batch', () => {
    const paused: HostStrategy = {
      kind: 'rolling',
      batch: { hosts: 2 },
      pauseSeconds: 60,
      maxFailures: 0,
    }
    const hosts = [healthy(1, 1, 5_000), healthy(2, 1, 9_000), ...pending(3)]
    const at = (nowMs: number) => nextHosts(deployment({ strategy: paused, hosts }), nowMs)
    expect(at(68_999)).toEqual({ do: 'wait', untilMs: 69_000 })
    expect(at(69_000)).toMatchObject({ do: 'update', hosts: [3] })
  })

  test('the budget of failures, and one more', () => {
    const lenient: HostStrategy = {
      kind: 'rolling',
      batch: { hosts: 2 },
      pauseSeconds: 0,
      maxFailures: 1,
    }
    const one = [failed(1, 1), healthy(2, 1), ...pending(3)]
    expect(nextHosts(deployment({ strategy: lenient, hosts: one }), 9_999)).toMatchObject({
      do: 'update',
      hosts: [3],
    })
    const done = [failed(1, 1), healthy(2, 1), healthy(3, 2)]
    expect(nextHosts(deployment({ strategy: lenient, hosts: done }), 9_999)).toEqual({
      do: 'end',
      outcome: 'succeeded',
      warnings: ['hosts_failed'],
    })
    const two = [failed(1, 1), healthy(2, 1), failed(3, 2), ...pending(4)]
    expect(nextHosts(deployment({ strategy: lenient, hosts: two }), 9_999)).toEqual({
      do: 'roll_back',
      hosts: [2],
    })
  })
})

describe('canary and blue-green', () => {
  test('bakes, asks, and goes on when it is confirmed', () => {
    const canary: HostStrategy = {
      kind: 'canary',
      steps: [5, 100],
      bakeSeconds: 120,
      confirm: 'first',
      maxFailures: 0,
    }
    const hosts = [healthy(1, 1, 1_000), ...pending(2, 3)]
    const at = (nowMs: number, confirmed: number[] = []) =>
      nextHosts(deployment({ strategy: canary, hosts, confirmed }), nowMs)
    expect(at(120_999, [1])).toEqual({ do: 'wait', untilMs: 121_000 })
    expect(at(121_000)).toEqual({ do: 'confirm', step: 1 })
    expect(at(121_000, [1])).toMatchObject({ do: 'update', batch: 2, hosts: [2, 3] })
  })

  test('installs on all, asks, and switches all at once', () => {
    const blueGreen: HostStrategy = { kind: 'blue-green', confirm: 'each', keepOldSeconds: 3_600 }
    const at = (hosts: DeployHost[], confirmed: number[] = []) =>
      nextHosts(deployment({ strategy: blueGreen, hosts, confirmed }), 9_999)
    expect(at(pending(1, 2))).toEqual({ do: 'update', action: 'install', batch: 1, hosts: [1, 2] })
    const staged = [1, 2].map((id) => host(id, { state: 'staged', batch: 1, endedAtMs: 1 }))
    expect(at([...staged, host(3, { state: 'updating', batch: 1 })])).toMatchObject({ do: 'wait' })
    expect(at(staged)).toEqual({ do: 'confirm', step: 1 })
    expect(at(staged, [1])).toEqual({ do: 'update', action: 'activate', batch: 2, hosts: [1, 2] })
    expect(at([healthy(1, 2), healthy(2, 2)], [1])).toMatchObject({ outcome: 'succeeded' })
    // No host was switched, so none goes back.
    expect(at([...staged, failed(3, 1)])).toEqual(fails({ changed: false }))
    expect(at([healthy(1, 2), failed(2, 2)], [1])).toEqual({ do: 'roll_back', hosts: [1] })
  })
})

describe('going back', () => {
  test('what runs is stopped first; then all go back, the newest batch first', () => {
    const hosts = [healthy(1, 1), failed(2, 2), host(3, { state: 'updating', batch: 2 }), host(4)]
    expect(nextHosts(deployment({ hosts }), 0)).toEqual({ do: 'stop', hosts: [3] })
    const stopped = [healthy(1, 1), failed(2, 2), failed(3, 2, true), host(4)]
    expect(nextHosts(deployment({ hosts: stopped }), 0)).toEqual({ do: 'roll_back', hosts: [3, 1] })
    const going = [
      host(1, { state: 'rolling_back', batch: 1, runsNew: true }),
      failed(2, 2),
      host(3, { state: 'rolled_back', batch: 2 }),
      host(4),
    ]
    expect(nextHosts(deployment({ hosts: going }), 0)).toEqual({ do: 'wait', untilMs: null })
    const back = going.map((one) =>
      one.id === 1 ? host(1, { state: 'rolled_back', batch: 1 }) : one,
    )
    expect(nextHosts(deployment({ hosts: back }), 0)).toEqual(fails({ rolledBack: true }))
  })

  test('a host that cannot go back is named', () => {
    const hosts = [
      host(1, { state: 'stuck', batch: 1, runsNew: true }),
      host(2, { state: 'rolled_back', batch: 1 }),
    ]
    expect(nextHosts(deployment({ hosts }), 0)).toEqual(
      fails({ rolledBack: true, warnings: ['mixed_releases'], mixed: [1] }),
    )
  })

  test('without an earlier release hosts stay as they are', () => {
    const hosts = [healthy(1, 1), failed(2, 1)]
    expect(nextHosts(deployment({ hosts, hasEarlierRelease: false }), 0)).toEqual(
      fails({ warnings: ['mixed_releases'], mixed: [1] }),
    )
  })

  test('a cancel goes back while hosts are mixed, and changes nothing before or after', () => {
    const canceled = (hosts: DeployHost[]) => nextHosts(deployment({ hosts, stop: 'canceled' }), 0)
    expect(canceled([healthy(1, 1), host(2)])).toEqual({ do: 'roll_back', hosts: [1] })
    expect(canceled(pending(1, 2))).toEqual(fails({ reason: 'canceled_by_user', changed: false }))
    expect(canceled([healthy(1, 1), healthy(2, 2)])).toMatchObject({ outcome: 'succeeded' })
  })

  test('a rollback by hand stops it, and no host goes back by itself', () => {
    const replaced = (hosts: DeployHost[]) => nextHosts(deployment({ hosts, stop: 'replaced' }), 0)
    const updating = host(2, { state: 'updating', batch: 1 })
    expect(replaced([healthy(1, 1), updating])).toEqual({ do: 'stop', hosts: [2] })
    expect(replaced([healthy(1, 1), failed(2, 1)])).toEqual(fails({ reason: 'superseded' }))
  })
})

describe('hosts that are not there', () => {
  const away = (id: number, wasOnlineLately: boolean) =>
    host(id, { state: 'unreachable', wasOnlineLately })

  test('one that was online lately spends a budget of nothing, and no other', () => {
    const hosts = [host(1), away(2, true)]
    expect(nextHosts(deployment({ hosts }), 0)).toEqual(fails({ changed: false }))
    expect(nextHosts(deployment({ hosts: [host(1), away(2, false)] }), 0)).toMatchObject({
      do: 'update',
      hosts: [1],
    })
    const lenient: HostStrategy = { kind: 'all-at-once', maxFailures: 1 }
    const of = [host(1), away(2, true), away(3, true)]
    expect(nextHosts(deployment({ strategy: lenient, hosts: of }), 0)).toMatchObject({ hosts: [1] })
  })

  test('one that is lost in its batch counts as failed', () => {
    const lost = host(2, { state: 'unreachable', batch: 1, wasOnlineLately: false })
    expect(nextHosts(deployment({ hosts: [healthy(1, 1), lost] }), 0)).toEqual({
      do: 'roll_back',
      hosts: [1],
    })
  })

  test('without any it waits for an agent, and then fails', () => {
    for (const hosts of [[], [away(1, false)]]) {
      const at = (nowMs: number) => nextHosts(deployment({ hosts, agentsUntilMs: 500 }), nowMs)
      expect(at(499)).toEqual({ do: 'wait', untilMs: 500 })
      expect(at(500)).toEqual(fails({ changed: false }))
    }
  })

  test('an address that is asked from outside holds the next batch, and three bad answers bring all back', () => {
    const hosts = [host(1, { state: 'healthy', batch: 1, runsNew: true, endedAtMs: 100 }), host(2)]
    const probe = { everyMs: 10, askedAtMs: null, okAtMs: null, failures: 0 }
    const at = (nowMs: number, more: Partial<typeof probe> | object, of = hosts) =>
      nextHosts(
        deployment({ hosts: of, probe: { ...probe, ...more }, hasEarlierRelease: true }),
        nowMs,
      )
    expect(at(100, {})).toEqual({ do: 'probe' })
    // An answer from before the batch says nothing of it.
    expect(at(100, { askedAtMs: 90, okAtMs: 90 })).toEqual({ do: 'probe' })
    expect(at(105, { askedAtMs: 101, failures: 1 })).toEqual({ do: 'wait', untilMs: 111 })
    expect(at(111, { askedAtMs: 101, failures: 1 })).toEqual({ do: 'probe' })
    expect(at(121, { askedAtMs: 120, okAtMs: 120 })).toMatchObject({ do: 'update', hosts: [2] })
    expect(at(131, { askedAtMs: 130, failures: 3 })).toEqual({ do: 'roll_back', hosts: [1] })
    // After the last batch, too.
    const done = [hosts[0] ?? host(1)]
    expect(at(100, {}, done)).toEqual({ do: 'probe' })
    expect(at(121, { askedAtMs: 120, okAtMs: 120 }, done)).toMatchObject({ do: 'end' })
  })
})
