import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { hostRow, testDeployment, want } from '../../harness/deployments.ts'
import { agentClient, agentPlace, makeAgent, type AgentPlace } from './agent-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ env: { CC_AGENT_FILE: import.meta.filename } })
})
afterAll(async () => harness.close())

const audited = async (organizationId: number, event: string) =>
  harness.deps.store
    .platform('audit_entries')
    .where({ organizationId, event })
    .orderBy('id')
    .select('actorKind', 'actorId', 'targetId', 'targetLabel', 'detail', 'outcome')
const stateOf = async (
  place: AgentPlace,
  id: number,
): Promise<{ state: string; busy: boolean } & Record<string, unknown>> =>
  (await place.owner.get(`/api/agents/${id}`)).json().agent

describe('agents', () => {
  test('201: a token of the known form, and the command that installs the agent', async () => {
    const { org, owner, workspaceId } = await agentPlace(harness)
    const labels = { role: 'web', 'cc.example/zone': 'eu-1' }
    const made = await owner.post('/api/agents', { name: 'web-1.example', workspaceId, labels })
    expect(made.statusCode).toBe(201)
    const { ok, agent, token, install } = made.json()
    expect(ok).toBe(true)
    expect(token).toMatch(/^cc_agt_[0-9A-Za-z]{49}$/)
    const { baseUrl } = harness.config
    // Any file stands for the agent's.
    const file = readFileSync(import.meta.filename)
    const sha256 = createHash('sha256').update(file).digest('hex')
    const name = 'cloud-control-agent.cjs'
    expect(install).toBe(
      `curl -fsSL -o ${name} ${baseUrl}/api/downloads/${name} && echo "${sha256}  ${name}" | sha256sum -c && CC_AGENT_URL=${baseUrl} CC_AGENT_TOKEN=${token} CC_AGENT_KEY=${/sha256:[0-9a-f]{64}/.exec(install)?.[0]} node --max-semi-space-size=1 ${name}`,
    )
    const fetched = await harness.app.inject({ url: `/api/downloads/${name}` })
    expect([fetched.statusCode, fetched.headers['etag']]).toEqual([200, `"sha256:${sha256}"`])
    expect(fetched.rawPayload.equals(file)).toBe(true)
    const known = { 'if-none-match': `"sha256:${sha256}"` }
    const again304 = await harness.app.inject({ url: `/api/downloads/${name}`, headers: known })
    expect(again304.statusCode).toBe(304)
    expect(agent).toEqual({
      id: agent.id,
      name: 'web-1.example',
      workspaceId,
      labels,
      state: 'pending',
      version: null,
      protocol: null,
      os: null,
      arch: null,
      lastSeenAt: null,
      release: null,
      busy: false,
      join: null,
      createdAt: agent.createdAt,
    })
    expect(await audited(org.id, 'agent.created')).toMatchObject([
      {
        actorKind: 'user',
        targetId: String(agent.id),
        detail: { workspaceId, kind: 'host', labels },
      },
    ])
    const again = await makeAgent(harness, { owner, workspaceId })
    const keys = (await agentClient(harness, again).beat()).json().keys
    expect(install).toContain(keys[0].keyId)
  })

  test('400: names, labels and joins that are none', async () => {
    const { owner, workspaceId } = await agentPlace(harness)
    const labels = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`l${at}`, 'a']))
    for (const wrong of [
      { name: '' },
      { name: 'a b' },
      { name: '-a' },
      { name: 'a\n' },
      { name: 'x'.repeat(101) },
      { labels: { 'a b': 'c' } },
      { labels: { a: '' } },
      { labels: { a: 'x'.repeat(64) } },
      { labels: { a: 1 } },
      { labels },
      { join: {} },
      { join: { maxAgents: 0, expiresInDays: 1 } },
      { join: { maxAgents: 1_001, expiresInDays: 1 } },
      { join: { maxAgents: 1, expiresInDays: 91 } },
      { more: 1 },
    ]) {
      const answer = await owner.post('/api/agents', { name: 'a', workspaceId, ...wrong })
      expect([answer.statusCode, JSON.stringify(wrong)]).toEqual([400, JSON.stringify(wrong)])
    }
  })

  test('403: only a session with manage_cloud_accounts makes a token; a denial is audited', async () => {
    const { org, owner, workspaceId } = await agentPlace(harness)
    const deployer = await org.user('Deployer')
    const body = { name: 'a', workspaceId }
    expect((await deployer.post('/api/agents', body)).statusCode).toBe(403)
    expect(await audited(org.id, 'agent.denied')).toMatchObject([{ outcome: 'denied' }])
    const headers = { authorization: `Bearer ${await owner.token()}` }
    const byToken = await harness.app.inject({
      method: 'POST',
      url: '/api/agents',
      headers,
      payload: body,
    })
    expect([byToken.statusCode, byToken.json().code]).toEqual([403, 'session_required'])
    const agent = await makeAgent(harness, { owner, workspaceId })
    for (const [method, url] of [
      ['patch', `/api/agents/${agent.id}`],
      ['post', `/api/agents/${agent.id}/token`],
    ] as const)
      expect((await deployer[method](url, {})).statusCode).toBe(403)
    expect((await deployer.delete(`/api/agents/${agent.id}`)).statusCode).toBe(403)
    expect((await deployer.get(`/api/agents/${agent.id}`)).statusCode).toBe(200)
  })

  test('409: a name is one agent of its workspace, in any case; a join and a host may share it', async () => {
    const { owner, workspaceId } = await agentPlace(harness)
    const first = await owner.post('/api/agents', { name: 'Web', workspaceId })
    const second = await owner.post('/api/agents', { name: 'web', workspaceId })
    expect([second.statusCode, second.json()]).toMatchObject([
      409,
      { code: 'name_taken', existingId: first.json().agent.id },
    ])
    const join = { maxAgents: 1, expiresInDays: 1 }
    expect((await owner.post('/api/agents', { name: 'web', workspaceId, join })).statusCode).toBe(
      201,
    )
    const other = await owner.post('/api/agents', { name: 'other', workspaceId })
    const renamed = await owner.patch(`/api/agents/${other.json().agent.id}`, { name: 'WEB' })
    expect([renamed.statusCode, renamed.json().code]).toEqual([409, 'name_taken'])
  })

  test('409: a workspace has at most 1,000 agents, however many are made at once', async () => {
    const { org, owner, workspaceId } = await agentPlace(harness)
    await harness.deps.store.platform.raw(
      `insert into agents (organization_id, workspace_id, name)
       select ?, ?, 'n' || n from generate_series(1, 998) as n`,
      [org.id, workspaceId],
    )
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async (n) => owner.post('/api/agents', { name: `m${n}`, workspaceId })),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 201, 409, 409,
    ])
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json().code).toBe('agent_limit')
  })

  test('200: lists by workspace, state and label, newest first, by pages', async () => {
    const { owner, workspaceId } = await agentPlace(harness)
    const made = []
    for (const role of ['web', 'web', 'db'])
      made.push(
        await makeAgent(harness, { owner, workspaceId, more: { labels: { role, a: 'b' } } }),
      )
    const [first, second, third] = made.map(({ id }) => id)
    const ids = async (query: string) =>
      (await owner.get(`/api/agents?${query}`)).json().agents.map(({ id }: { id: number }) => id)
    expect(await ids('')).toEqual([third, second, first])
    expect(await ids(`workspaceId=${workspaceId}&label=role%3Dweb`)).toEqual([second, first])
    expect(await ids('label=role%3Dweb&label=a%3Db&limit=1')).toEqual([second])
    expect(await ids('label=role%3Dcache')).toEqual([])
    expect(await ids('label=a%20%3Db')).toEqual([])
    expect(await ids('state=online')).toEqual([])
    expect(await ids('workspaceId=2147483647')).toEqual([])
    expect((await made[0]?.beat())?.statusCode).toBe(200)
    expect(await ids('state=online')).toEqual([first])
    const page = (await owner.get('/api/agents?limit=2')).json()
    const rest = (await owner.get(`/api/agents?limit=2&cursor=${page.nextCursor}`)).json()
    expect([page.agents.length, rest.agents.length, rest.nextCursor]).toEqual([2, 1, null])
    for (const wrong of ['state=gone', 'label=web', 'label='])
      expect((await owner.get(`/api/agents?${wrong}`)).statusCode).toBe(400)
  })

  test('200: online by a heartbeat or an open claim, offline 60 s later, paused and outdated', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const digest = `sha256:${'a'.repeat(64)}`
    await agent.beat({ release: { digest, runId: 7 }, unknown: true })
    expect(await stateOf(place, agent.id)).toMatchObject({
      state: 'online',
      version: '1.0.0',
      protocol: 1,
      os: 'linux',
      arch: 'x64',
      release: { digest, runId: 7 },
    })
    const age = async (seconds: number) =>
      harness.deps.store.platform.raw(
        `update agents set last_seen_at = now() - make_interval(secs => ?) where id = ?`,
        [seconds, agent.id],
      )
    await age(59)
    expect((await stateOf(place, agent.id)).state).toBe('online')
    await age(61)
    expect((await stateOf(place, agent.id)).state).toBe('offline')
    expect((await agent.claim()).statusCode).toBe(204)
    await eventually(async () => (await stateOf(place, agent.id)).state === 'online')
    await place.owner.patch(`/api/agents/${agent.id}`, { paused: true })
    expect((await stateOf(place, agent.id)).state).toBe('paused')
    expect((await agent.beat()).json().paused).toBe(true)
    await place.owner.patch(`/api/agents/${agent.id}`, { paused: false })
    const old = await agent.call('claim', {}, { headers: { 'cc-agent-protocol': '0' } })
    expect(old.statusCode).toBe(426)
    expect((await stateOf(place, agent.id)).state).toBe('outdated')
    await agent.beat()
    expect((await stateOf(place, agent.id)).state).toBe('online')
  })

  test('200: a change is audited once, with what was before', async () => {
    const { org, owner, workspaceId } = await agentPlace(harness)
    const agent = await makeAgent(harness, { owner, workspaceId, more: { labels: { a: 'b' } } })
    const url = `/api/agents/${agent.id}`
    const changed = await owner.patch(url, { name: 'new', labels: { c: 'd' } })
    expect(changed.json().agent).toMatchObject({ name: 'new', labels: { c: 'd' } })
    expect((await owner.patch(url, { name: 'new' })).statusCode).toBe(200)
    expect((await owner.patch(url, {})).statusCode).toBe(200)
    expect(await audited(org.id, 'agent.updated')).toMatchObject([
      { detail: { before: { labels: { a: 'b' } }, after: { name: 'new', labels: { c: 'd' } } } },
    ])
  })

  test('201: a rotated token works for another hour beside the new one', async () => {
    const { org, owner, workspaceId } = await agentPlace(harness)
    const agent = await makeAgent(harness, { owner, workspaceId })
    const rotated = await owner.post(`/api/agents/${agent.id}/token`, {})
    expect(rotated.statusCode).toBe(201)
    const { token, install } = rotated.json()
    expect(token).not.toBe(agent.token)
    expect(install).toContain(token)
    const next = agentClient(harness, { id: agent.id, token })
    expect([(await agent.beat()).statusCode, (await next.beat()).statusCode]).toEqual([200, 200])
    await harness.deps.store.platform.raw(
      `update tokens set expires_at = expires_at - interval '61 minutes' where agent_id = ?`,
      [agent.id],
    )
    expect([(await agent.beat()).statusCode, (await next.beat()).statusCode]).toEqual([401, 200])
    expect(await audited(org.id, 'agent.token_rotated')).toMatchObject([{ actorKind: 'user' }])
  })

  test('200 and 409: a busy agent is deleted by force only, and its token ends at once', async () => {
    const place = await agentPlace(harness)
    const { org, owner, workspaceId } = place
    const agent = await makeAgent(harness, place)
    const deployment = await testDeployment(harness.deps, org.id, { workspaceId })
    await want(harness.deps, org.id, { deploymentId: deployment.id, agentId: agent.id })
    expect((await agent.claim()).statusCode).toBe(200)
    expect((await stateOf(place, agent.id)).busy).toBe(true)
    const url = `/api/agents/${agent.id}`
    expect((await owner.delete(url)).json().code).toBe('agent_busy')
    expect((await owner.delete(`${url}?force=true`)).json()).toEqual({ ok: true })
    expect((await owner.get(url)).statusCode).toBe(404)
    expect((await owner.delete(`${url}?force=true`)).statusCode).toBe(404)
    expect((await agent.beat()).statusCode).toBe(401)
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({ leaseUntil: null })
    expect(await audited(org.id, 'agent.deleted')).toMatchObject([
      { detail: { force: true, busy: true } },
    ])
    // Its name is free again.
    const name = (await audited(org.id, 'agent.deleted'))[0]?.targetLabel
    expect((await owner.post('/api/agents', { name, workspaceId })).statusCode).toBe(201)
  })

  test('404: another organization’s workspace and agents', async () => {
    const place = await agentPlace(harness)
    const other = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const taken = await other.owner.post('/api/agents', {
      name: 'a',
      workspaceId: place.workspaceId,
    })
    expect(taken.statusCode).toBe(404)
    for (const url of [`/api/agents/${agent.id}`])
      expect((await other.owner.get(url)).statusCode).toBe(404)
    expect((await other.owner.post(`/api/agents/${agent.id}/token`, {})).statusCode).toBe(404)
    expect((await other.owner.get('/api/agents')).json().agents).toEqual([])
  })
})
