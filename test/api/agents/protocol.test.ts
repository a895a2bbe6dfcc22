import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { organizations } from '../../../store/platform/organizations.ts'
import { expireLeasesTask } from '../../../worker/tasks/expire-leases.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hostRow, testDeployment, want } from '../../harness/deployments.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import { agentClient, agentPlace, makeAgent, type AgentClient } from './agent-client.ts'

let harness: Harness
let second: SecondApp
beforeAll(async () => {
  harness = await createHarness()
  second = await createSecondApp(harness)
})
afterAll(async () => {
  await second.close()
  await harness.close()
})

const platform = () => harness.deps.store.platform
const hooks = {
  install: { path: 'hooks/install', timeoutSeconds: 300, repeatable: false },
  activate: { path: 'hooks/activate', timeoutSeconds: 60, repeatable: true },
}

/** An agent, and a deployment that has something for it to do. */
async function atWork(more: Partial<Parameters<typeof testDeployment>[2]> = {}, wanted?: string) {
  const place = await agentPlace(harness)
  const agent = await makeAgent(harness, place)
  const deployment = await testDeployment(harness.deps, place.org.id, {
    workspaceId: place.workspaceId,
    hooks,
    ...more,
  })
  await want(harness.deps, place.org.id, {
    deploymentId: deployment.id,
    agentId: agent.id,
    ...(wanted && { wanted, state: wanted === 'rollback' ? 'rolling_back' : 'updating' }),
  })
  return { ...place, agent, deployment }
}

const claimed = async (agent: AgentClient, waitSeconds = 0, more: object = {}) => {
  const answer = await agent.claim(waitSeconds, more)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().deployment
}
const resultOf = (deployment: { digest: string; id: number }, fence: number, ok = true) => ({
  fence,
  ok,
  release: { digest: deployment.digest, runId: deployment.id },
})
const wakes = async (runId: number) =>
  platform()('outbox').where({ kind: 'signal' }).whereLike('workflowId', `%/app-run/${runId}`)
const ageLease = async (deploymentId: number, seconds: number) =>
  platform().raw(
    `update deployment_hosts set lease_until = lease_until - make_interval(secs => ?)
     where pipeline_run_id = ?`,
    [seconds, deploymentId],
  )
const audited = async (organizationId: number, event: string) =>
  platform()('audit_entries').where({ organizationId, event }).orderBy('id')
const expire = async () => expireLeasesTask(harness.deps).run()

describe('claims', () => {
  test('200: what to do, with release, hooks, times and environment, under a lease of 45 s', async () => {
    const variables = { DB_PASSWORD: `pw-${randomBytes(12).toString('hex')}` }
    harness.secrets.note('a deploy variable', variables.DB_PASSWORD)
    const { agent, deployment } = await atWork({ outputs: { CC_OUT_LB_DNS: 'lb' }, variables })
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
      expect(Date.now() - begun).toBeLessThan(10_000)
      const { fence } = await hostRow(harness.deps, deployment.id, agent.id)
      await agent.call(`deployments/${deployment.id}/result`, resultOf(deployment, fence))
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
    expect(Date.now() - begun).toBeLessThan(10_000)
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
    expect(Date.now() - begun).toBeLessThan(10_000)
  })

  test('200 and 204: of many claims at once, in two processes, one gets it', async () => {
    const { agent, deployment } = await atWork()
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
    const { org, agent, deployment } = await atWork()
    const first = await claimed(agent)
    // Another process with the same token does not take it from one that beats.
    expect((await agent.claim()).statusCode).toBe(204)
    const held = { deploymentId: deployment.id, fence: first.fence }
    expect((await agent.claim(0, { held: { ...held, fence: 7 } })).statusCode).toBe(204)
    const again = await claimed(agent, 0, { held })
    expect([again.id, again.fence]).toEqual([deployment.id, 2])
    const path = `deployments/${deployment.id}`
    for (const [what, body] of [
      ['logs', { fence: 1, batch: 1, lines: [] }],
      ['result', resultOf(deployment, 1)],
    ] as const) {
      const late = await agent.call(`${path}/${what}`, body)
      expect([late.statusCode, late.json().code]).toEqual([409, 'lease_lost'])
    }
    const bytes = await agent.get(`${path}/artifact?fence=1`)
    expect([bytes.statusCode, bytes.json().code]).toEqual([409, 'lease_lost'])
    expect(await audited(org.id, 'agent.lease_lost')).toMatchObject([{ actorKind: 'agent' }])
  })

  test('200: one that was silent for 15 s gets it again without its fence', async () => {
    const { agent, deployment } = await atWork()
    await claimed(agent)
    await ageLease(deployment.id, 14)
    expect((await agent.claim()).statusCode).toBe(204)
    const begun = Date.now()
    // The open claim looks again when the silence is long enough.
    const again = await claimed(agent, 10)
    expect(again.fence).toBe(2)
    expect(Date.now() - begun).toBeLessThan(9_000)
  })

  test('204: a paused agent gets nothing new, and ends what it has begun', async () => {
    const { owner, agent, deployment } = await atWork()
    await owner.patch(`/api/agents/${agent.id}`, { paused: true })
    expect((await agent.claim()).statusCode).toBe(204)
    const open = agent.claim(30)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await owner.patch(`/api/agents/${agent.id}`, { paused: false })
    const { fence } = (await open).json().deployment
    await owner.patch(`/api/agents/${agent.id}`, { paused: true })
    const again = await claimed(agent, 0, { held: { deploymentId: deployment.id, fence } })
    expect(again.fence).toBe(fence + 1)
    const result = resultOf(deployment, again.fence)
    expect((await agent.call(`deployments/${deployment.id}/result`, result)).statusCode).toBe(200)
  })

  test('204 and 404: agents see neither another agent’s nor another organization’s work', async () => {
    const { org, owner, workspaceId, agent, deployment } = await atWork()
    const neighbour = await makeAgent(harness, { owner, workspaceId })
    const elsewhere = await atWork()
    const sibling = await makeAgent(harness, {
      owner,
      workspaceId: (await org.workspace({ by: owner })).id,
    })
    const work = await claimed(agent)
    for (const other of [neighbour, sibling, elsewhere.agent]) {
      const path = `deployments/${deployment.id}`
      const { fence } = work
      for (const answer of [
        await other.call(`${path}/logs`, { fence, batch: 1, lines: [] }),
        await other.call(`${path}/result`, resultOf(deployment, fence)),
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
    expect((await claimed(elsewhere.agent)).id).toBe(elsewhere.deployment.id)
  })
})

describe('the protocol', () => {
  test('426: an older protocol, before the body is read; a newer one steps down', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const old = { headers: { 'cc-agent-protocol': '0' } }
    for (const path of ['heartbeat', 'claim', 'deployments/1/logs', 'deployments/1/result']) {
      const answer = await agent.call(path, { wrong: true }, old)
      expect([answer.statusCode, answer.json().code]).toEqual([426, 'agent_too_old'])
      expect(answer.headers['upgrade']).toBe('cc-agent/1')
    }
    expect((await agent.get('deployments/1/artifact?fence=1', old.headers)).statusCode).toBe(426)
    expect((await agent.call('heartbeat', { protocols: [0] })).statusCode).toBe(426)
    const newer = await agent.call(
      'heartbeat',
      { protocols: [3, 2], later: { things: 1 } },
      { headers: { 'cc-agent-protocol': '3' } },
    )
    expect([newer.statusCode, newer.json()]).toMatchObject([200, { ok: true, protocol: 1 }])
    const odd = await agent.call('heartbeat', {}, { headers: { 'cc-agent-protocol': 'one' } })
    expect([odd.statusCode, odd.json().code]).toEqual([400, 'agent_protocol'])
    const unsigned = await agent.call(
      'claim',
      {},
      { headers: { ...old.headers, authorization: '' } },
    )
    expect(unsigned.statusCode).toBe(401)
  })

  test('403: a suspended organization’s agents get no work, and may end what they do', async () => {
    const { org, owner, workspaceId, agent, deployment } = await atWork()
    const join = await makeAgent(harness, {
      owner,
      workspaceId,
      more: { join: { maxAgents: 1, expiresInDays: 1 } },
    })
    const { fence } = await claimed(agent)
    await organizations(platform()).setStatus(org.id, 'suspended')
    for (const answer of [
      await agent.beat({ deploymentId: deployment.id, fence }),
      await agent.claim(),
      await join.call('enroll', { name: 'a' }),
    ])
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'organization_suspended'])
    const ended = await agent.call(
      `deployments/${deployment.id}/result`,
      resultOf(deployment, fence),
    )
    expect(ended.statusCode).toBe(200)
  })

  test('429: 600 requests a minute an agent, whichever of its tokens it sends', async () => {
    const few = await createHarness({ env: { CC_RATE_LIMITS: 'agent=20,address=100000' } })
    try {
      const place = await agentPlace(few)
      const agent = await makeAgent(few, place)
      const { token } = (await place.owner.post(`/api/agents/${agent.id}/token`, {})).json()
      const next = agentClient(few, { id: agent.id, token })
      const answers = []
      for (let n = 0; n < 30; n += 1) answers.push(await (n % 2 ? agent : next).beat())
      expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeLessThanOrEqual(21)
      expect(answers.at(-1)?.statusCode).toBe(429)
      expect(answers[0]?.headers['ratelimit-limit']).toBe('20')
      expect((await (await makeAgent(few, place)).beat()).statusCode).toBe(200)
    } finally {
      await few.close()
    }
  })
})

describe('leases', () => {
  test('200: a heartbeat makes it last, tells to stop, and notes hooks', async () => {
    const { agent, deployment } = await atWork()
    const { fence } = await claimed(agent)
    await ageLease(deployment.id, 40)
    const at = { deploymentId: deployment.id, fence }
    const hook = { name: 'install', state: 'running', exitCode: null, durationMs: 3 }
    const beat = (await agent.beat({ ...at, hook })).json()
    expect(beat).toMatchObject({ ok: true, protocol: 1, stop: false, paused: false })
    expect(new Date(beat.leaseUntil).getTime() - Date.now()).toBeGreaterThan(40_000)
    await agent.beat({ ...at, hook: { ...hook, state: 'succeeded', exitCode: 0 } })
    await agent.beat({ ...at, hook: { name: 'activate', state: 'running' } })
    const { hooks: noted } = await hostRow(harness.deps, deployment.id, agent.id)
    expect(noted).toEqual([
      { ...hook, state: 'succeeded', exitCode: 0 },
      { name: 'activate', state: 'running', exitCode: null, durationMs: null },
    ])
    const lost = (await agent.beat({ ...at, fence: fence + 1, hook })).json()
    expect(lost).toMatchObject({ leaseUntil: null, stop: true })
    await platform()('deployment_hosts')
      .where({ pipelineRunId: deployment.id })
      .update({ stopRequestedAt: new Date() })
    const stopping = (await agent.beat(at)).json()
    expect(stopping.stop).toBe(true)
    expect(stopping.leaseUntil).not.toBeNull()
  })

  test('409: an expired lease is lost at once, and the task gives the work back', async () => {
    const { org, agent, deployment } = await atWork()
    const { fence } = await claimed(agent)
    await ageLease(deployment.id, 46)
    const path = `deployments/${deployment.id}`
    const late = await agent.call(`${path}/result`, resultOf(deployment, fence))
    expect([late.statusCode, late.json().code]).toEqual([409, 'lease_lost'])
    expect((await agent.beat({ deploymentId: deployment.id, fence })).json()).toMatchObject({
      leaseUntil: null,
      stop: true,
    })
    await Promise.all([expire(), expire()])
    await expire()
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'updating',
      wanted: 'deploy',
      leaseUntil: null,
      leasesLost: 1,
    })
    expect(await audited(org.id, 'agent.lease_lost')).toMatchObject([
      { actorKind: 'system', outcome: 'failure', detail: { fence, deploymentId: deployment.id } },
    ])
    expect(await wakes(deployment.id)).toHaveLength(1)
    expect((await claimed(agent)).fence).toBe(fence + 1)
  })

  test('an agent that dies again and again fails its host; one that is to stop ends without it', async () => {
    const { agent, deployment } = await atWork()
    for (let times = 0; times < 5; times += 1) {
      await claimed(agent)
      await ageLease(deployment.id, 46)
      await expire()
    }
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'failed',
      wanted: null,
      message: 'The agent was lost 5 times.',
    })
    expect((await agent.claim()).statusCode).toBe(204)

    const stopped = await atWork()
    await claimed(stopped.agent)
    await platform()('deployment_hosts')
      .where({ pipelineRunId: stopped.deployment.id })
      .update({ stopRequestedAt: new Date() })
    await expire()
    expect(await hostRow(harness.deps, stopped.deployment.id, stopped.agent.id)).toMatchObject({
      state: 'updating',
    })
    await ageLease(stopped.deployment.id, 46)
    await expire()
    expect(await hostRow(harness.deps, stopped.deployment.id, stopped.agent.id)).toMatchObject({
      state: 'failed',
      wanted: null,
      runsNew: false,
    })
  })
})

describe('results', () => {
  test('200: the same result again changes nothing; 409: another one, or any other after the end', async () => {
    const { agent, deployment } = await atWork()
    const { fence } = await claimed(agent)
    const path = `deployments/${deployment.id}/result`
    const result = {
      ...resultOf(deployment, fence),
      hooks: [{ name: 'install', state: 'succeeded', exitCode: 0, durationMs: 12 }],
    }
    const answers = await Promise.all([1, 2, 3].map(async () => agent.call(path, result)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    const row = await hostRow(harness.deps, deployment.id, agent.id)
    expect(row).toMatchObject({
      state: 'healthy',
      runsNew: true,
      wanted: null,
      leaseUntil: null,
      afterDigest: deployment.digest,
      afterRunId: deployment.id,
      hooks: result.hooks,
    })
    expect(await wakes(deployment.id)).toHaveLength(1)
    for (const other of [
      { ...result, ok: false },
      { ...result, fence: fence + 1 },
      resultOf(deployment, fence),
    ]) {
      const refused = await agent.call(path, other)
      expect([refused.statusCode, refused.json().code]).toEqual([409, 'lease_lost'])
    }
    expect((await hostRow(harness.deps, deployment.id, agent.id)).endedAt).toEqual(row['endedAt'])
    const shown = await agent.beat({ release: result.release })
    expect(shown.statusCode).toBe(200)
    expect((await agent.claim()).statusCode).toBe(204)
  })

  test.each([
    ['deploy', true, 'healthy', true],
    ['deploy', false, 'failed', true],
    ['install', true, 'staged', true],
    ['activate', true, 'healthy', true],
    ['activate', false, 'failed', true],
  ] as const)('200: %s, ok %s: the host is %s', async (wanted, ok, state, runsNew) => {
    const { agent, deployment } = await atWork({}, wanted)
    const work = await claimed(agent)
    expect(work.action).toBe(wanted)
    const answer = await agent.call(
      `deployments/${deployment.id}/result`,
      resultOf(deployment, work.fence, ok),
    )
    expect(answer.statusCode).toBe(200)
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({ state, runsNew })
  })

  test('200: a rollback brings the earlier release with its hooks, and is refused the other’s bytes', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const { workspaceId, org } = place
    const earlier = await testDeployment(harness.deps, org.id, {
      workspaceId,
      outcome: 'succeeded',
      hooks: { health: { path: 'hooks/old-health', timeoutSeconds: 9, repeatable: false } },
    })
    const deployment = await testDeployment(harness.deps, org.id, {
      workspaceId,
      pipelineId: earlier.pipelineId,
      earlierRunId: earlier.id,
      hooks,
    })
    await want(harness.deps, org.id, {
      deploymentId: deployment.id,
      agentId: agent.id,
      wanted: 'rollback',
      state: 'rolling_back',
    })
    const work = await claimed(agent)
    expect(work).toMatchObject({
      id: deployment.id,
      action: 'rollback',
      release: { digest: earlier.digest, runId: earlier.id },
      hooks: { health: { path: 'hooks/old-health' } },
      timeouts: { health: 9 },
    })
    const bytes = await agent.get(`deployments/${deployment.id}/artifact?fence=${work.fence}`)
    expect(bytes.rawPayload.equals(earlier.bytes)).toBe(true)
    await agent.call(`deployments/${deployment.id}/result`, resultOf(earlier, work.fence))
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'rolled_back',
      runsNew: false,
    })
  })

  test('200: success beside another release is not believed', async () => {
    const { agent, deployment } = await atWork()
    const { fence } = await claimed(agent)
    const release = { digest: `sha256:${'e'.repeat(64)}`, runId: 1 }
    await agent.call(`deployments/${deployment.id}/result`, { fence, ok: true, release })
    expect(await hostRow(harness.deps, deployment.id, agent.id)).toMatchObject({
      state: 'failed',
      runsNew: false,
      message: expect.stringContaining('another release'),
    })
  })

  test('200: a refused release is audited', async () => {
    const { org, agent, deployment } = await atWork()
    const { fence } = await claimed(agent)
    await agent.call(`deployments/${deployment.id}/result`, {
      fence,
      ok: false,
      refused: true,
      message: 'provenance_refused: not signed by a trusted key',
      release: null,
    })
    expect(await audited(org.id, 'agent.release_refused')).toMatchObject([
      { actorKind: 'agent', outcome: 'denied', detail: { deploymentId: deployment.id } },
    ])
  })
})

describe('artifacts', () => {
  test('200, 206, 416: whole, in parts, and from the beginning for another version', async () => {
    const { agent, deployment } = await atWork()
    const { fence, release } = await claimed(agent)
    const path = `deployments/${deployment.id}/artifact?fence=${fence}`
    const whole = await agent.get(path)
    expect([whole.statusCode, whole.rawPayload.equals(deployment.bytes)]).toEqual([200, true])
    expect(whole.headers).toMatchObject({
      etag: `"${release.digest}"`,
      'accept-ranges': 'bytes',
      'content-length': String(release.sizeBytes),
    })
    const part = await agent.get(path, { range: 'bytes=100-', 'if-range': `"${release.digest}"` })
    expect([part.statusCode, part.headers['content-range']]).toEqual([
      206,
      `bytes 100-${release.sizeBytes - 1}/${release.sizeBytes}`,
    ])
    expect(part.rawPayload.equals(deployment.bytes.subarray(100))).toBe(true)
    const other = await agent.get(path, { range: 'bytes=100-', 'if-range': '"other"' })
    expect([other.statusCode, other.rawPayload.length]).toEqual([200, release.sizeBytes])
    expect((await agent.get(path, { range: `bytes=${release.sizeBytes}-` })).statusCode).toBe(416)
    expect((await agent.get(`deployments/${deployment.id}/artifact`)).statusCode).toBe(400)
  })

  test('409: after the result nothing more is sent; a release that is kept no more ends the host', async () => {
    const { agent, deployment } = await atWork()
    const { fence } = await claimed(agent)
    await agent.call(`deployments/${deployment.id}/result`, resultOf(deployment, fence))
    const late = await agent.get(`deployments/${deployment.id}/artifact?fence=${fence}`)
    expect([late.statusCode, late.json().code]).toEqual([409, 'lease_lost'])

    const gone = await atWork()
    await platform()('artifacts')
      .where({ pipelineRunId: gone.deployment.id })
      .update({ sweptAt: new Date(), provenance: null })
    expect((await gone.agent.claim()).statusCode).toBe(204)
    expect(await hostRow(harness.deps, gone.deployment.id, gone.agent.id)).toMatchObject({
      state: 'failed',
      message: 'The release is no longer kept.',
    })
  })
})

describe('catching up', () => {
  const offlineHost = async (deploymentId: number, agent: AgentClient, organizationId: number) =>
    platform()('deployment_hosts').insert({
      organizationId,
      pipelineRunId: deploymentId,
      agentId: agent.id,
      position: 1,
      state: 'unreachable',
    })

  test('200: a host that was offline gets the current release, never an older one', async () => {
    const place = await agentPlace(harness)
    const { workspaceId, org } = place
    const agent = await makeAgent(harness, place)
    const missed = await testDeployment(harness.deps, org.id, { workspaceId, outcome: 'succeeded' })
    const { pipelineId } = missed
    const current = await testDeployment(harness.deps, org.id, {
      workspaceId,
      pipelineId,
      outcome: 'succeeded',
    })
    await testDeployment(harness.deps, org.id, { workspaceId, pipelineId, outcome: 'failed' })
    await offlineHost(missed.id, agent, org.id)
    const live = await testDeployment(harness.deps, org.id, { workspaceId, pipelineId })
    // While the pipeline deploys, that deployment is what counts.
    expect((await agent.claim()).statusCode).toBe(204)
    await platform()('deployments')
      .where({ pipelineRunId: live.id })
      .update({ endedAt: new Date(), outcome: 'failed' })
    const both = await Promise.all([agent.claim(), agentClient({ app: second.app }, agent).claim()])
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 204])
    const work = both.find(({ statusCode }) => statusCode === 200)?.json().deployment
    expect(work).toMatchObject({ id: current.id, action: 'deploy' })
    await agent.call(`deployments/${current.id}/result`, resultOf(current, work.fence))
    expect(await hostRow(harness.deps, current.id, agent.id)).toMatchObject({
      state: 'healthy',
      runsNew: true,
    })
    expect((await agent.claim()).statusCode).toBe(204)
    expect(await wakes(current.id)).toHaveLength(0)
  })

  test('204: a host that has the current release already is left as it is', async () => {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const current = await testDeployment(harness.deps, place.org.id, {
      workspaceId: place.workspaceId,
      outcome: 'succeeded',
    })
    await offlineHost(current.id, agent, place.org.id)
    await agent.beat({ release: { digest: current.digest, runId: current.id } })
    expect((await agent.claim()).statusCode).toBe(204)
    expect((await hostRow(harness.deps, current.id, agent.id)).wanted).toBeNull()
  })
})
