import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow, testDeployment, want } from '../../harness/deployments.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import { agentClient, agentPlace, makeAgent } from './agent-client.ts'
import { hostsAtWork } from './hosts-at-work.ts'

let harness: Harness
let second: SecondApp
let at: ReturnType<typeof hostsAtWork>
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
  at = hostsAtWork(harness)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

describe('claims', () => {
  test('200: what to do, with release, hooks, times and environment, under a lease of 45 s', async () => {
    const variables = { DB_PASSWORD: `pw-${randomBytes(12).toString('hex')}` }
    harness.secrets.note('a deploy variable', variables.DB_PASSWORD)
    const { agent, deployment } = await at.atWork({ outputs: { CC_OUT_LB_DNS: 'lb' }, variables })
    const answer = await agent.claim()
    const { deployment: work, keys } = answer.json()
    expect(work).toMatchObject({
      id: deployment.id,
      fence: 1,
      action: 'deploy',
      release: {
        digest: deployment.digest,
        contentDigest: `sha256:${'c'.repeat(64)}`,
        sizeBytes: deployment.bytes.length,
        runId: deployment.id,
        provenance: { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' },
      },
      hooks: {
        install: { path: 'hooks/install', repeatable: false },
        activate: { path: 'hooks/activate', repeatable: true },
      },
      timeouts: { install: 300, activate: 60 },
      keep: 3,
    })
    const left = new Date(work.leaseUntil).getTime() - Date.now()
    expect(left).toBeGreaterThan(40_000)
    expect(left).toBeLessThanOrEqual(45_500)
    expect(work.env).toEqual(
      expect.arrayContaining([
        { key: 'CC_RUN_ID', value: String(deployment.id), sensitive: false },
        { key: 'CC_OUT_LB_DNS', value: 'lb', sensitive: false },
        { key: 'DB_PASSWORD', value: variables.DB_PASSWORD, sensitive: true },
      ]),
    )
    expect(keys).toHaveLength(1)
  })

  test('204: nothing to do; 400: more than 30 seconds', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const answer = await agent.claim()
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect((await agent.claim(31)).statusCode).toBe(400)
    expect((await agent.claim(-1)).statusCode).toBe(400)
  })

  test('200: an open claim is answered as soon as there is work, in another process too', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const other = agentClient({ app: second.app }, agent)
    for (const client of [agent, other]) {
      const deployment = await testDeployment(harness.deps, place.org.id, {
        workspaceId: place.workspaceId,
      })
      const open = client.claim(30)
      const begun = Date.now()
      await new Promise((resolve) => setTimeout(resolve, 300))
      await want(harness.deps, place.org.id, { deploymentId: deployment.id, agentId: agent.id })
      expect((await open).json().deployment?.id).toBe(deployment.id)
      expect(Date.now() - begun).toBeLessThan(25_000)
      const { fence } = await hostRow(harness.deps, deployment.id, agent.id)
      await agent.call(`deployments/${deployment.id}/result`, at.resultOf(deployment, fence))
    }
  })

  test('204: an older open claim ends with a newer one of the same agent', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const first = agent.claim(30)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const begun = Date.now()
    const newer = agent.claim(1)
    expect((await first).statusCode).toBe(204)
    expect(Date.now() - begun).toBeLessThan(25_000)
    expect((await newer).statusCode).toBe(204)
  })

  test('204: an open claim is answered when its process stops', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const third = await createSecondApp(harness)
    const client = agentClient({ app: third.app }, agent)
    expect((await client.claim()).statusCode).toBe(204)
    const open = client.claim(30)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const begun = Date.now()
    const closed = third.close()
    expect((await open).statusCode).toBe(204)
    await closed
    expect(Date.now() - begun).toBeLessThan(25_000)
  })

  test('200 and 204: of many claims at once, in two processes, one gets it', async () => {
    const { agent, deployment } = await at.atWork()
    const other = agentClient({ app: second.app }, agent)
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => (at % 2 ? agent : other).claim()),
    )
    const codes = answers.map(({ statusCode }) => statusCode)
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
    expect(codes.filter((code) => code === 204)).toHaveLength(9)
    expect((await hostRow(harness.deps, deployment.id, agent.id)).fence).toBe(1)
  })

  test('200: after its own crash the agent gets it again under a new fence, and the old one is lost', async () => {
    const { org, agent, deployment } = await at.atWork()
    const first = await at.claimed(agent)
    // Another process with the same token does not take it from one that beats.
    expect((await agent.claim()).statusCode).toBe(204)
    const held = { deploymentId: deployment.id, fence: first.fence }
    expect((await agent.claim(0, { held: { ...held, fence: 7 } })).statusCode).toBe(204)
    const again = await at.claimed(agent, 0, { held })
    expect([again.id, again.fence]).toEqual([deployment.id, 2])
    const path = `deployments/${deployment.id}`
    for (const [what, body] of [
      ['logs', { fence: 1, batch: 1, lines: [] }],
      ['result', at.resultOf(deployment, 1)],
    ] as const) {
      const late = await agent.call(`${path}/${what}`, body)
      expect([late.statusCode, late.json().code]).toEqual([409, 'lease_lost'])
    }
    const bytes = await agent.get(`${path}/artifact?fence=1`)
    expect([bytes.statusCode, bytes.json().code]).toEqual([409, 'lease_lost'])
    expect(await at.audited(org.id, 'agent.lease_lost')).toMatchObject([{ actorKind: 'agent' }])
  })

  test('200: one that was silent for 15 s gets it again without its fence', async () => {
    const { agent, deployment } = await at.atWork()
    await at.claimed(agent)
    await at.ageLease(deployment.id, 14)
    expect((await agent.claim()).statusCode).toBe(204)
    const begun = Date.now()
    // The open claim looks again when the silence is long enough.
    const again = await at.claimed(agent, 10)
    expect(again.fence).toBe(2)
    expect(Date.now() - begun).toBeLessThan(9_000)
  })

  test('204: a paused agent gets nothing new, and ends what it has begun', async () => {
    const { owner, agent, deployment } = await at.atWork()
    await owner.patch(`/api/agents/${agent.id}`, { paused: true })
    expect((await agent.claim()).statusCode).toBe(204)
    const open = agent.claim(30)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await owner.patch(`/api/agents/${agent.id}`, { paused: false })
    const { fence } = (await open).json().deployment
    await owner.patch(`/api/agents/${agent.id}`, { paused: true })
    const again = await at.claimed(agent, 0, { held: { deploymentId: deployment.id, fence } })
    expect(again.fence).toBe(fence + 1)
    const result = at.resultOf(deployment, again.fence)
    expect((await agent.call(`deployments/${deployment.id}/result`, result)).statusCode).toBe(200)
  })

  test('204 and 404: agents see neither another agent’s nor another organization’s work', async () => {
    const { org, owner, workspaceId, agent, deployment } = await at.atWork()
    const neighbour = await makeAgent(harness, { owner, workspaceId })
    const elsewhere = await at.atWork()
    const sibling = await makeAgent(harness, {
      owner,
      workspaceId: (await org.workspace({ by: owner })).id,
    })
    const work = await at.claimed(agent)
    for (const other of [neighbour, sibling, elsewhere.agent]) {
      const path = `deployments/${deployment.id}`
      const { fence } = work
      for (const answer of [
        await other.call(`${path}/logs`, { fence, batch: 1, lines: [] }),
        await other.call(`${path}/result`, at.resultOf(deployment, fence)),
        // The deployment is not found before a fault of the body is told.
        await other.call(`${path}/logs`, { wrong: true }),
        await other.call(`${path}/result`, { wrong: true }),
        await other.get(`${path}/artifact?fence=${fence}`),
        await other.beat({ deploymentId: deployment.id, fence }),
      ])
        expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
    }
    expect((await neighbour.claim()).statusCode).toBe(204)
    expect((await sibling.claim()).statusCode).toBe(204)
    expect((await at.claimed(elsewhere.agent)).id).toBe(elsewhere.deployment.id)
  })
})
