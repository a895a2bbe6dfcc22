import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  deployActivities,
  deployWorld,
  type DeployWorld,
} from '../../harness/deploy/deploy-world.ts'
import type { TestUser } from '../../harness/test-user.ts'

// No worker: the test calls the activities, and agents answer through the store.
describe('a release for production', () => {
  let harness: Harness
  let world: DeployWorld
  let activities: ReturnType<typeof deployActivities>
  let author: TestUser
  let second: TestUser
  beforeAll(async () => {
    harness = await createHarness()
    activities = deployActivities(harness)
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    world = await deployWorld(harness, { criticality: 'production' })
    author = await world.org.user('Deployer')
    second = await world.org.user('Deployer')
    await world.hosts.add('a')
  })
  const platform = () => harness.deps.store.platform
  const set = async (id: number, change: object) =>
    platform()('application_runs').where({ pipelineRunId: id }).update(change)
  const refusal = async (person: TestUser, url: string, body: object = {}) => {
    const answer = await person.post(url, body)
    return [answer.statusCode, answer.json().code]
  }

  test('waits for a second person before anything is sent', async () => {
    const run = await world.built({ by: author })
    expect(await activities.next(run.id)).toMatchObject({ next: 'wait' })
    await activities.open(run.id)
    expect(await world.hosts.wanted()).toEqual([])
    const shown = (await second.get(run.url)).json().run
    expect(shown).toMatchObject({
      state: 'running',
      awaitingApproval: true,
      approvalReasons: ['production'],
      approval: { rule: 'second_operator' },
      blockedBy: { kind: 'approval' },
      mayApprove: true,
      mayReject: true,
      deployment: { strategy: 'rolling', hosts: { total: 1, pending: 1 } },
      stages: [{}, {}, { name: 'deploy', state: 'waiting' }],
    })
    expect(shown.approvalExpiresAt).not.toBeNull()
    expect((await author.get(run.url)).json().run).toMatchObject({
      mayApprove: false,
      mayReject: true,
      because: { mayApprove: 'approver_is_author' },
    })
  })

  test('200: the second person lets it deploy; the same again is 200, another decision 409', async () => {
    const run = await world.built({ by: author })
    const { planDigest } = (await second.get(run.url)).json().run
    const answer = await second.post(`${run.url}/approve`, { planDigest, comment: 'seen' })
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json().run).toMatchObject({
      awaitingApproval: false,
      approvals: [
        { user: second.email, decision: 'approved', comment: 'seen', planDigest, step: 0 },
      ],
    })
    expect((await second.post(`${run.url}/approve`, { planDigest })).statusCode).toBe(200)
    expect(await refusal(second, `${run.url}/reject`)).toEqual([409, 'run_not_waiting'])
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({
      state: 'succeeded',
      stages: [{}, {}, { name: 'deploy', state: 'succeeded', by: second.email }],
    })
    expect(await refusal(second, `${run.url}/approve`)).toEqual([409, 'run_not_waiting'])
  })

  test('403: its starter, the author of a commit, and who changed the pipeline since', async () => {
    const run = await world.built({ by: author })
    expect(await refusal(author, `${run.url}/approve`)).toEqual([403, 'approver_is_author'])
    await set(run.id, { authorUserIds: [second.id] })
    expect(await refusal(second, `${run.url}/approve`)).toEqual([403, 'approver_is_author'])
    const third = await world.org.user('Owner')
    await platform()('pipeline_authorship').insert({
      organizationId: world.org.id,
      pipelineId: world.pipelineId,
      userId: third.id,
      what: 'strategy',
      part: 'deploy',
    })
    expect(await refusal(third, `${run.url}/approve`)).toEqual([403, 'approver_is_author'])
    expect(await run.shown()).toMatchObject({ state: 'running', approvals: [] })
    const { entries } = (await world.owner.get('/api/audit?event=pipeline.denied')).json()
    expect(entries.map(({ detail }: { detail: { because: string } }) => detail.because)).toContain(
      'author',
    )
  })

  test('403: an unknown author needs more than a Deployer, and so does one of an earlier run', async () => {
    const earlier = await world.built({ by: author })
    await set(earlier.id, { unknownAuthor: true })
    expect((await second.post(`${earlier.url}/reject`, {})).statusCode).toBe(200)
    const run = await world.built({ by: author })
    expect(await refusal(second, `${run.url}/approve`)).toEqual([403, 'forbidden'])
    const admin = await world.org.user('SRE · Cloud Admin')
    expect((await admin.post(`${run.url}/approve`, {})).statusCode).toBe(200)
  })

  test('409: another digest than the one that was looked at', async () => {
    const run = await world.built({ by: author })
    const planDigest = `sha256:${'0'.repeat(64)}`
    expect(await refusal(second, `${run.url}/approve`, { planDigest })).toEqual([
      409,
      'plan_changed',
    ])
    expect(await run.shown()).toMatchObject({ awaitingApproval: true })
  })

  test('409: with any digest, on a run that does not wait', async () => {
    const run = await world.built({ by: author })
    expect(await refusal(second, `${run.url}/reject`)).toEqual([200, undefined])
    const planDigest = `sha256:${'0'.repeat(64)}`
    for (const body of [{}, { planDigest }])
      expect(await refusal(second, `${run.url}/approve`, body)).toEqual([409, 'run_not_waiting'])
  })

  test('404: the hosts of a deployment that has not begun, and of a run that deploys nothing', async () => {
    const run = await world.built({ by: author })
    const hosts = async (url: string) => {
      const answer = await second.get(`${url}/hosts`)
      return [answer.statusCode, answer.json().code ?? answer.json().hosts.length]
    }
    expect(await hosts(run.url)).toEqual([404, 'not_found'])
    expect(await refusal(second, `${run.url}/approve`)).toEqual([200, undefined])
    await activities.open(run.id)
    expect(await hosts(run.url)).toEqual([200, 1])
    const workspace = await world.org.workspace({ by: author })
    const started = await author.post(`/api/pipelines/${workspace.pipelineId}/run`, {})
    const place = `/api/pipelines/${workspace.pipelineId}/runs/${started.json().run.id}`
    expect(await hosts(place)).toEqual([404, 'not_found'])
  })

  test('403 and 404: a Viewer, and another organization', async () => {
    const run = await world.built({ by: author })
    expect((await (await world.org.user('Viewer')).post(`${run.url}/approve`, {})).statusCode).toBe(
      403,
    )
    const stranger = await (await harness.organization()).user('Owner')
    for (const act of ['approve', 'reject', 'cancel', 'rollback'])
      expect((await stranger.post(`${run.url}/${act}`, {})).statusCode, act).toBe(404)
    expect((await stranger.get(`${run.url}/hosts`)).statusCode).toBe(404)
  })

  test('200: rejected, by its author too: failed, and nothing was sent', async () => {
    const run = await world.built({ by: author })
    const answer = await author.post(`${run.url}/reject`, { comment: 'no' })
    expect(answer.json().run).toMatchObject({
      state: 'failed',
      reason: 'rejected',
      endMessage: `Rejected by ${author.email}.`,
    })
    expect(await activities.next(run.id)).toEqual({ next: 'over' })
  })

  test('nobody in time: it fails as expired, unless a decision came first', async () => {
    const run = await world.built({ by: author })
    await set(run.id, { approvalExpiresAt: new Date(Date.now() - 1_000) })
    await activities.next(run.id)
    await activities.next(run.id)
    expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'approval_expired' })
    expect(await refusal(second, `${run.url}/approve`)).toEqual([409, 'run_not_waiting'])
  })

  test('a variable that changes after the approval ends the run: what was approved is not what would go', async () => {
    const run = await world.built({ by: author })
    expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    await platform()('pipeline_variables').insert({
      organizationId: world.org.id,
      pipelineId: world.pipelineId,
      key: 'COLOR',
      phase: 'deploy',
      value: Buffer.from('x'),
      valueMac: Buffer.from('y'),
    })
    await activities.open(run.id)
    expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'plan_stale' })
    expect(await world.hosts.wanted()).toEqual([])
  })

  test('an approver who may not approve any more: the run waits for another one', async () => {
    const run = await world.built({ by: author })
    expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    const changed = await world.owner.patch(`/api/org/users/${second.id}`, { role: 'Viewer' })
    expect(changed.statusCode, changed.body).toBe(200)
    await activities.open(run.id)
    expect(await run.shown()).toMatchObject({
      awaitingApproval: true,
      approvals: [{ void: { reason: 'approver: capability' } }],
    })
    const third = await world.org.user('Deployer')
    expect((await third.post(`${run.url}/approve`, {})).statusCode).toBe(200)
    await activities.deploy(run, world.hosts)
    expect(await run.shown()).toMatchObject({ state: 'succeeded' })
  })

  test('a target that becomes a production one adds the approval', async () => {
    await platform()('workspaces')
      .where({ id: world.workspaceId })
      .update({ criticality: 'standard' })
    const run = await world.built({ by: author })
    await platform()('workspaces')
      .where({ id: world.workspaceId })
      .update({ criticality: 'production' })
    await activities.open(run.id)
    expect(await run.shown()).toMatchObject({ awaitingApproval: true })
  })

  test('ten who approve at once: one approval', async () => {
    const run = await world.built({ by: author })
    const people = await Promise.all(
      Array.from({ length: 5 }, async () => world.org.user('Deployer')),
    )
    const codes = await Promise.all(
      people.map(async (person) => (await person.post(`${run.url}/approve`, {})).statusCode),
    )
    expect(codes.toSorted((one, other) => one - other)).toEqual([200, 409, 409, 409, 409])
    expect(((await run.shown()) as unknown as { approvals: unknown[] }).approvals).toHaveLength(1)
  })

  test('each possible approver is mailed once, the author is not', async () => {
    const run = await world.built({ by: author })
    const { rows } = await platform().raw(
      `select user_id from mails where application_run_id = ? order by 1`,
      [run.id],
    )
    const told = rows.map(({ user_id: id }: { user_id: number }) => id)
    expect(told).not.toContain(author.id)
    expect(new Set(told).size).toBe(told.length)
  })
})
