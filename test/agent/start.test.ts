import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readAgentConfig } from '../../agent/config.ts'
import { whyNoNode } from '../../agent/why-no-node.ts'
import { agentHost, type AgentHost } from '../harness/agents/agent-host.ts'
import { startAgent } from '../harness/agents/start-agent.ts'
import { eventually } from '../harness/eventually.ts'

describe('the start of an agent', () => {
  let host: AgentHost
  beforeEach(async () => {
    host = await agentHost()
  })
  afterEach(async () => {
    expect(host.server.state.faults).toEqual([])
    await host.close()
  })

  const settings = (token: string) => ({
    url: host.server.url,
    token,
    keyId: host.organization.key.keyId,
    dir: host.dir,
  })

  test('every fault of the settings is named at once', () => {
    expect(() => readAgentConfig({ CC_AGENT_URL: 'ftp://x', CC_AGENT_DIR: 'relative' })).toThrow(
      /CC_AGENT_URL[^]*CC_AGENT_KEY[^]*CC_AGENT_DIR[^]*CC_AGENT_TOKEN/,
    )
    const file = join(host.folder, 'token')
    writeFileSync(file, 'cc_agt_abc\n')
    const env = {
      CC_AGENT_URL: 'https://control.example/base/',
      CC_AGENT_KEY: `sha256:${'a'.repeat(64)}`,
      CC_AGENT_TOKEN_FILE: file,
    }
    const config = readAgentConfig(env)
    expect([config.url, config.readToken(), config.dir]).toEqual([
      'https://control.example/base',
      'cc_agt_abc',
      '/var/lib/cloud-control-agent',
    ])
    expect(() => readAgentConfig({ ...env, CC_AGENT_TOKEN: 'cc_agt_other' })).toThrow(
      'exclude each other',
    )
    expect(() => readAgentConfig({ ...env, CC_AGENT_CA_FILE: file })).toThrow('no certificate')
  })

  test('a Node without zstd is told of before anything else', () => {
    expect(
      [whyNoNode('v20.20.0'), whyNoNode('v22.14.0'), whyNoNode('v23.7.1')].every((why) =>
        why?.includes('22.15'),
      ),
    ).toBe(true)
    expect([
      whyNoNode('v22.15.0'),
      whyNoNode('v23.8.0'),
      whyNoNode('v24.0.0'),
      whyNoNode('v26.1.0'),
    ]).toEqual([undefined, undefined, undefined, undefined])
  })

  test('one agent a folder: a second one ends, and a killed one leaves no lock', async () => {
    const first = host.start()
    await eventually(async () => first.said().includes('waiting for work'))
    const second = host.start()
    expect(await second.exited).toBe(1)
    expect(second.said()).toContain('another agent works in this folder')
    await first.kill()
    expect(existsSync(join(host.dir, 'agent.lock'))).toBe(true)
    const third = host.start()
    await eventually(async () => third.said().includes('waiting for work'))
  })

  test('of many that start at once in a folder of a killed one, one works', async () => {
    const first = host.start()
    await eventually(async () => first.said().includes('waiting for work'))
    await first.kill()
    const many = Array.from({ length: 4 }, () => host.start())
    const given = host.give('deploy', host.release('x', { activate: 'true' }), {
      hooks: ['activate'],
    })
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(host.trace().filter((line) => line.startsWith('begin'))).toHaveLength(1)
    await Promise.all(many.map(async (one) => one.stop()))
  })

  test('a join token enrolls once: the own token is kept, by the agent alone', async () => {
    const first = startAgent(settings('cc_agt_join'))
    await eventually(async () => first.said().includes('waiting for work'))
    await first.stop()
    expect(host.server.state.names).toEqual([hostname()])
    const state = join(host.dir, 'state.json')
    expect(statSync(state).mode & 0o077).toBe(0)
    const { token } = JSON.parse(readFileSync(state, 'utf8')) as { token: string }
    expect(token).toBe('cc_agt_own0')
    expect(readFileSync(state, 'utf8')).not.toContain('cc_agt_join')
    const second = startAgent(settings('cc_agt_join'))
    await eventually(async () => second.said().includes('waiting for work'))
    await second.stop()
    expect(host.server.state.names).toHaveLength(1)
    expect(first.said() + second.said()).not.toContain('cc_agt_')
  })

  test('a token that is rotated in its file is read anew', async () => {
    const file = join(host.folder, 'token')
    writeFileSync(file, 'cc_agt_old')
    const agent = startAgent(settings(''), { env: { CC_AGENT_TOKEN_FILE: file } })
    await eventually(async () => agent.said().includes('knows no such token'))
    writeFileSync(file, 'cc_agt_test')
    await eventually(async () => agent.said().includes('waiting for work'))
    expect(await agent.stop()).toBe(0)
  })

  test('too old for the service: it says so, keeps what runs, and ends at SIGTERM', async () => {
    const agent = host.start()
    await eventually(async () => agent.said().includes('waiting for work'))
    host.server.state.answer = { status: 426, code: 'agent_too_old' }
    await host.server.goAway()
    await host.server.comeBack()
    await eventually(async () => agent.said().includes('too old for the service'))
    expect(await agent.stop()).toBe(0)
  })

  test('the bundle is one file that loads nothing but Node, deploys, and says to an old Node what it needs', async () => {
    execFileSync(process.execPath, [
      join(import.meta.dirname, '../../scripts/build-agent.ts'),
      host.folder,
    ])
    const bundle = join(host.folder, 'cloud-control-agent.cjs')
    const text = readFileSync(bundle, 'utf8')
    const loaded = [...text.matchAll(/require\(["']([^"']+)["']\)/g)].map(([, name]) => name)
    expect(loaded.length).toBeGreaterThan(5)
    expect(loaded.filter((name) => !name?.startsWith('node:'))).toEqual([])
    expect(text).not.toMatch(/\bimport\s*\(/)
    host.start({}, bundle)
    const given = host.give('deploy', host.release('by the bundle', { activate: 'true' }), {
      hooks: ['activate'],
    })
    expect(await host.resultOf(given)).toMatchObject({ ok: true })
    expect(host.server.state.heartbeats[0]?.['version']).toMatch(/^\d+\.\d+\.\d+$/)
    expect(host.page()).toBe('by the bundle')
    const old = spawnSync('/usr/bin/node', [bundle], { encoding: 'utf8' })
    if (!old.error && execFileSync('/usr/bin/node', ['--version']).toString().startsWith('v20'))
      expect([old.status, old.stderr]).toEqual([78, expect.stringContaining('needs Node 22.15')])
  })
})
