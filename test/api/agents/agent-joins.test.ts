import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow, testDeployment } from '../../harness/deployments.ts'
import { agentClient, agentPlace, makeAgent } from './agent-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const audited = async (organizationId: number, event: string) =>
  harness.deps.store
    .platform('audit_entries')
    .where({ organizationId, event })
    .orderBy('id')
    .select('actorKind', 'actorId', 'targetId', 'targetLabel', 'detail', 'outcome')
describe('joins', () => {
  const makeJoin = async (maxAgents = 2) => {
    const place = await agentPlace(harness)
    const join = await makeAgent(harness, {
      ...place,
      more: { labels: { role: 'web' }, join: { maxAgents, expiresInDays: 1 } },
    })
    return { ...place, join }
  }

  test('201: a host enrolls with a token of its own, and the labels of the join', async () => {
    const { org, owner, workspaceId, join } = await makeJoin()
    const enrolled = await join.call('enroll', { name: 'web-1', more: 1 })
    expect(enrolled.statusCode).toBe(201)
    const { ok, agent, token, organization, keys } = enrolled.json()
    expect([ok, organization, keys.length]).toEqual([true, org.slug, 1])
    expect(token).toMatch(/^cc_agt_[0-9A-Za-z]{49}$/)
    const shown = (await owner.get(`/api/agents/${agent.id}`)).json().agent
    expect(shown).toMatchObject({ name: 'web-1', workspaceId, labels: { role: 'web' }, join: null })
    expect((await agentClient(harness, { id: agent.id, token }).beat()).statusCode).toBe(200)
    expect((await owner.get(`/api/agents/${join.id}`)).json().agent).toMatchObject({
      state: 'pending',
      join: { maxAgents: 2, enrolled: 1 },
    })
    expect(await audited(org.id, 'agent.enrolled')).toMatchObject([
      { actorKind: 'agent', actorId: join.id, detail: { takenOver: false } },
    ])
  })

  test('401: a join’s token on any other route, and a host’s token to enroll', async () => {
    const { owner, workspaceId, join } = await makeJoin()
    const host = await makeAgent(harness, { owner, workspaceId })
    for (const path of ['heartbeat', 'claim', 'deployments/1/logs', 'deployments/1/result'])
      expect((await join.call(path, {})).statusCode).toBe(401)
    expect((await join.get('deployments/1/artifact?fence=1')).statusCode).toBe(401)
    expect((await host.call('enroll', { name: 'a' })).statusCode).toBe(401)
  })

  test('409: no more hosts than the join allows, however many enroll at once', async () => {
    const { join } = await makeJoin(2)
    const answers = await Promise.all(
      [1, 2, 3, 4].map(async (n) => join.call('enroll', { name: `h${n}` })),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 201, 409, 409,
    ])
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json().code).toBe('agent_limit')
  })

  test('409: a name that is taken, until its host is offline for 24 h; then its token ends', async () => {
    const { org, join } = await makeJoin(2)
    const first = (await join.call('enroll', { name: 'h' })).json()
    const host = agentClient(harness, { id: first.agent.id, token: first.token })
    await host.beat({ release: { digest: `sha256:${'a'.repeat(64)}`, runId: 1 } })
    const age = async (hours: number) =>
      harness.deps.store.platform.raw(
        `update agents set last_seen_at = now() - make_interval(hours => ?) where id = ?`,
        [hours, host.id],
      )
    await age(23)
    const taken = await join.call('enroll', { name: 'H' })
    expect([taken.statusCode, taken.json().code]).toEqual([409, 'name_taken'])
    await age(25)
    const second = await join.call('enroll', { name: 'H' })
    expect([second.statusCode, second.json().agent.id]).toEqual([201, host.id])
    expect((await host.beat()).statusCode).toBe(401)
    const next = agentClient(harness, { id: host.id, token: second.json().token })
    expect((await next.beat()).statusCode).toBe(200)
    expect(await audited(org.id, 'agent.enrolled')).toMatchObject([
      {},
      { detail: { takenOver: true } },
    ])
  })

  test.each([
    { labels: { role: 'web' }, isLeft: false },
    { labels: { role: 'db' }, isLeft: true },
  ])('201: $labels take a name over: paused it stays, what it missed is its own', async (one) => {
    const { org, owner, workspaceId, join } = await makeJoin()
    const first = (await join.call('enroll', { name: 'h' })).json()
    const missed = await testDeployment(harness.deps, org.id, { workspaceId, outcome: 'succeeded' })
    const { platform } = harness.deps.store
    const organizationId = org.id
    const { id } = first.agent
    await platform('deployment_hosts').insert({
      organizationId,
      pipelineRunId: missed.id,
      agentId: id,
      position: 1,
      state: 'unreachable',
    })
    await agentClient(harness, { id, token: first.token }).beat()
    await owner.patch(`/api/agents/${id}`, { paused: true })
    await platform.raw(
      `update agents set last_seen_at = now() - interval '25 hours' where id = ?`,
      [id],
    )
    const other = await makeAgent(harness, {
      owner,
      workspaceId,
      more: { labels: one.labels, join: { maxAgents: 5, expiresInDays: 1 } },
    })
    const taken = await other.call('enroll', { name: 'h' })
    expect([taken.statusCode, taken.json().agent?.id]).toEqual([201, id])
    const { labels, paused } = await platform('agents').where({ id }).first('labels', 'paused')
    expect({ labels, paused }).toEqual({ labels: one.labels, paused: true })
    const { caughtUpAt } = await hostRow(harness.deps, missed.id, id)
    expect(caughtUpAt !== null).toBe(one.isLeft)
  })

  test.each([
    { labels: { role: 'web' }, offered: [200, 'deploy'] },
    { labels: { role: 'db' }, offered: [204, undefined] },
  ])('$offered: a name with $labels of a host that died while it caught up', async (one) => {
    const { org, owner, workspaceId, join } = await makeJoin()
    const first = (await join.call('enroll', { name: 'h' })).json()
    const { id } = first.agent
    const missed = await testDeployment(harness.deps, org.id, {
      workspaceId,
      outcome: 'succeeded',
      labels: { role: 'web' },
    })
    const { platform } = harness.deps.store
    const at = { organizationId: org.id, pipelineRunId: missed.id, agentId: id }
    await platform('deployment_hosts').insert({ ...at, position: 1, state: 'unreachable' })
    const host = agentClient(harness, { id, token: first.token })
    expect((await host.claim()).statusCode).toBe(200)
    const other = await makeAgent(harness, {
      owner,
      workspaceId,
      more: { labels: one.labels, join: { maxAgents: 5, expiresInDays: 1 } },
    })
    let token = ''
    const enroll = async () => {
      await platform.raw(
        `update agents set last_seen_at = now() - interval '25 hours' where id = ?`,
        [id],
      )
      const taken = await other.call('enroll', { name: 'h' })
      token = taken.json().token
      return taken.statusCode
    }
    // That the first host has claimed is noted a moment later.
    await expect.poll(enroll, { timeout: 5_000 }).toBe(201)
    const row = await hostRow(harness.deps, missed.id, id)
    expect(row).toMatchObject({ wanted: null, state: 'unreachable', leaseUntil: null })
    const answer = await agentClient(harness, { id, token }).claim()
    const action = answer.statusCode === 200 ? answer.json().deployment.action : undefined
    expect([answer.statusCode, action]).toEqual(one.offered)
    const late = await agentClient(harness, { id, token: first.token }).claim()
    expect(late.statusCode).toBe(401)
  })

  test('409 and 201: a host that never called may enroll again after ten minutes, by its own join alone', async () => {
    const { owner, workspaceId, join } = await makeJoin(1)
    const other = await makeAgent(harness, {
      owner,
      workspaceId,
      more: { join: { maxAgents: 5, expiresInDays: 1 } },
    })
    const { agent } = (await join.call('enroll', { name: 'h' })).json()
    expect((await join.call('enroll', { name: 'h' })).json().code).toBe('name_taken')
    await harness.deps.store.platform.raw(
      `update agents set created_at = now() - interval '11 minutes' where id = ?`,
      [agent.id],
    )
    expect((await other.call('enroll', { name: 'h' })).json().code).toBe('name_taken')
    expect((await join.call('enroll', { name: 'h' })).statusCode).toBe(201)
  })

  test('401: an expired and a deleted join', async () => {
    const { owner, join } = await makeJoin()
    await owner.delete(`/api/agents/${join.id}`)
    expect((await join.call('enroll', { name: 'a' })).statusCode).toBe(401)
    const late = await makeJoin()
    await harness.deps.store
      .platform('tokens')
      .where({ agentId: late.join.id })
      .update({
        expiresAt: new Date(Date.now() - 1_000),
      })
    expect((await late.join.call('enroll', { name: 'a' })).statusCode).toBe(401)
  })
})
