import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'

const all = { install: 'true', activate: 'true', health: 'true', rollback: 'true' }
const names = Object.keys(all)

describe('actions of an agent', () => {
  let host: AgentHost
  beforeEach(async () => {
    host = await agentHost()
    host.start()
  })
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })

  const steps = () => host.trace().map((line) => line.split(' ').slice(0, 3).join(' '))
  const begun = () => steps().filter((line) => line.startsWith('begin'))
  const deployed = async (page: string, hooks: Partial<typeof all> = all) => {
    const given = host.give('deploy', host.release(page, hooks), { hooks: Object.keys(hooks) })
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    return given
  }

  test('deploy: install, activate, the switch and health, in this order', async () => {
    const given = await deployed('one')
    expect(begun()).toEqual([
      'begin install install',
      'begin activate activate',
      'begin health health',
    ])
    expect(host.page()).toBe('one')
    const { digest } = given.asked.artifact
    expect(host.current()).toBe(`releases/${digest.slice(7)}`)
    expect(given.result).toMatchObject({
      release: { digest, runId: given.id },
      hooks: ['install', 'activate', 'health'].map((name) => ({
        name,
        state: 'succeeded',
        exitCode: 0,
      })),
    })
    // The service was told of hooks as they ended.
    expect(given.heartbeats.map(({ hook }) => hook)).toContainEqual(
      expect.objectContaining({ name: 'install', state: 'succeeded' }),
    )
    expect(host.server.state.claims.at(0)).toHaveProperty('release', null)
  })

  test('a failure before the switch leaves the release before untouched', async () => {
    await deployed('one')
    for (const hook of ['install', 'activate'] as const) {
      const built = host.release(`bad ${hook}`, { ...all, [hook]: 'exit 7' })
      const given = host.give('deploy', built, { hooks: names })
      expect(await host.resultOf(given)).toMatchObject({ ok: false, hook, exitCode: 7 })
      expect(given.result?.['message']).toBe(`hook ${hook} failed with exit code 7`)
      expect(host.page()).toBe('one')
    }
    expect(begun()).not.toContain('begin rollback rollback')
  })

  test('not healthy after the switch: rollback, the switch back, health', async () => {
    const first = await deployed('one')
    const from = begun().length
    const built = host.release('bad', {
      ...all,
      health: 'exit 3',
      rollback: 'echo "back to $CC_ROLLBACK_TO" >> "$TRACE"',
    })
    const given = host.give('deploy', built, { hooks: names, timeouts: { health: 2 } })
    const result = await host.resultOf(given)
    expect(result).toMatchObject({
      ok: false,
      hook: 'health',
      exitCode: 3,
      release: first.result?.['release'],
    })
    expect(host.page()).toBe('one')
    const order = [...new Set(begun().slice(from))]
    expect(order).toEqual([
      'begin install install',
      'begin activate activate',
      'begin health health',
      'begin rollback rollback',
    ])
    expect(host.trace()).toContain(
      `back to ${host.dir}/releases/${first.asked.artifact.digest.slice(7)}`,
    )
    // Health of the bad release was tried until its time was over, and that of the one before ran last.
    expect(begun().filter((line) => line.includes('health')).length).toBeGreaterThan(3)
    expect(host.trace().at(-2)).toContain(first.asked.artifact.digest)
  })

  test('not healthy without a release before: the host stays as it is, and it is said so', async () => {
    const given = host.give('deploy', host.release('bad', { ...all, health: 'exit 3' }), {
      hooks: names,
    })
    const result = await host.resultOf(given)
    expect(result['message']).toContain('no earlier release')
    expect(host.page()).toBe('bad')
    expect(begun()).not.toContain('begin rollback rollback')
  })

  test('health is tried until it is well', async () => {
    const given = host.give(
      'deploy',
      host.release('slow', {
        ...all,
        health: `[ $(grep -c 'begin health' "$TRACE") -ge 3 ] || exit 1`,
      }),
      { hooks: names, timeouts: { health: 20 } },
    )
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(begun().filter((line) => line.includes('health'))).toHaveLength(3)
  })

  test('rollback to a kept release: its bytes are not fetched, and the rollback hook of the one that is left runs', async () => {
    const first = await deployed('one')
    const second = await deployed('two')
    const ranges = host.server.state.ranges.length
    const from = host.trace().length
    const given = host.give('rollback', first.asked.artifact, { hooks: names, runId: 77 })
    expect(await host.resultOf(given)).toMatchObject({ ok: true, release: { runId: 77 } })
    expect(host.page()).toBe('one')
    expect(host.server.state.ranges).toHaveLength(ranges)
    expect(
      host
        .trace()
        .slice(from)
        .filter((line) => line.startsWith('begin')),
    ).toEqual([
      `begin rollback rollback ${second.asked.artifact.digest}`,
      `begin health health ${first.asked.artifact.digest}`,
    ])
  })

  test('rollback from a release without such a hook activates the one that comes back', async () => {
    const first = await deployed('one', { activate: 'true' })
    await deployed('two', { activate: 'true' })
    const from = host.trace().length
    await host.resultOf(host.give('rollback', first.asked.artifact, { hooks: ['activate'] }))
    expect(host.trace().slice(from)[0]).toBe(
      `begin activate activate ${first.asked.artifact.digest}`,
    )
    expect(host.page()).toBe('one')
  })

  test('rollback to a release that is gone from the host fetches and installs it', async () => {
    await deployed('one')
    const old = host.release('older', all)
    const given = host.give('rollback', old, { hooks: names })
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(host.page()).toBe('older')
    expect(host.trace()).toContain(`begin install install ${old.digest}`)
  })

  test('install, then activate: health is staged before the switch', async () => {
    await deployed('one')
    const built = host.release('green', all)
    const installed = host.give('install', built, { hooks: names })
    expect(await host.resultOf(installed)).toMatchObject({ ok: true })
    expect(host.page()).toBe('one')
    expect(begun().slice(-2)).toEqual(['begin install install', 'begin health staged'])
    const activated = host.give('activate', built, { hooks: names, of: installed })
    expect(await host.resultOf(activated)).toMatchObject({ ok: true })
    expect(begun().slice(-2)).toEqual(['begin activate activate', 'begin health health'])
    expect(host.page()).toBe('green')
  })

  test('a rollback of a deployment that this host ended well goes back', async () => {
    const first = await deployed('one')
    const second = await deployed('two')
    const back = host.give('rollback', first.asked.artifact, { hooks: names, of: second })
    expect(await host.resultOf(back)).toMatchObject({
      ok: true,
      release: { digest: first.asked.artifact.digest },
      hooks: [{ name: 'rollback' }, { name: 'health' }],
    })
    expect(host.page()).toBe('one')
    const again = host.give('verify', first.asked.artifact, { hooks: names, of: back })
    expect(await host.resultOf(again)).toMatchObject({ ok: true, hooks: [{ name: 'health' }] })
    expect(begun().at(-1)).toBe('begin health health')
  })

  test('activate of a release that is not installed changes nothing', async () => {
    await deployed('one')
    const given = host.give('activate', host.release('never', all), { hooks: names })
    expect(await host.resultOf(given)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^not_installed/),
    })
    expect(host.page()).toBe('one')
  })

  test('verify asks health of what runs, and changes nothing', async () => {
    const first = await deployed('one')
    const from = begun().length
    expect(
      await host.resultOf(host.give('verify', first.asked.artifact, { hooks: names })),
    ).toMatchObject({ ok: true })
    expect(begun().slice(from)).toEqual(['begin health health'])
    const unsigned = { hooks: names, provenance: {} }
    const bad = host.give('verify', first.asked.artifact, unsigned)
    expect(await host.resultOf(bad)).toMatchObject({ ok: false, refused: true })
    expect(begun().slice(from)).toEqual(['begin health health'])
    const other = host.give('verify', host.release('other', all), { hooks: names })
    expect(await host.resultOf(other)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^other_release/),
    })
  })

  test('the same release again: nothing is fetched; with other variables it is installed beside the running one', async () => {
    const first = await deployed('one')
    const fetched = host.server.state.ranges.length
    expect(
      await host.resultOf(host.give('deploy', first.asked.artifact, { hooks: names })),
    ).toMatchObject({ ok: true })
    expect(host.server.state.ranges).toHaveLength(fetched)
    expect(begun().filter((line) => line.includes('install'))).toHaveLength(1)

    const env = [{ key: 'COLOR', value: 'green', sensitive: false }]
    await host.resultOf(host.give('deploy', first.asked.artifact, { hooks: names, env }))
    expect(begun().filter((line) => line.includes('install'))).toHaveLength(2)
    expect(host.current()).toBe(`releases/${first.asked.artifact.digest.slice(7)}.b`)
    expect(host.page()).toBe('one')
  })

  test('as many releases stay as the manifest says, and never fewer than the running one', async () => {
    for (const page of ['one', 'two', 'three', 'four']) {
      const given = host.give('deploy', host.release(page, { health: 'true' }), {
        hooks: ['health'],
        keep: 2,
      })
      expect(await host.resultOf(given)).toMatchObject({ ok: true })
    }
    expect(readdirSync(join(host.dir, 'releases'))).toHaveLength(2)
    expect(readdirSync(join(host.dir, 'known'))).toHaveLength(2)
    expect(host.page()).toBe('four')
  })

  test('a hook that the release does not have ends the deployment, in words', async () => {
    const given = host.give('deploy', host.release('one', {}), { hooks: ['activate'] })
    expect(await host.resultOf(given)).toMatchObject({ ok: false, hook: 'activate' })
    expect(given.lines.map(({ line }) => line).join()).toContain(
      'no such file that may be executed',
    )
    expect(existsSync(join(host.dir, 'current'))).toBe(false)
  })
})
