import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { logLines } from '../../../store/runs/log-lines.ts'
import { stages } from '../../../store/runs/stages.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { recordedPlan } from '../infrastructure/recorded-plan.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'

const secret = 'correct-"horse"/battery'
const base64 = (text: string) => Buffer.from(text).toString('base64')
/** Texts that would reveal the value in one of its forms. */
const traces = ['correct', 'horse', 'battery', base64('horse"/batt').slice(0, 10), '4711471147']

describe('sensitive values of a workspace in what members read', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const outputs = {
    equal: { value: secret, type: 'string' },
    contained: { value: `postgres://app:${secret}@db/app`, type: 'string' },
    encoded: { value: `Basic ${base64(`user:${secret}`)}`, type: 'string' },
    json: { value: JSON.stringify({ password: secret }), type: 'string' },
    url: { value: `https://x/?p=${encodeURIComponent(secret)}`, type: 'string' },
    nested: {
      value: { list: [{ deep: secret }], kept: 'plain' },
      type: ['object', { list: ['list', ['object', { deep: 'string' }]], kept: 'string' }],
    },
    key: { value: { [secret]: 'v' }, type: ['object', { [secret]: 'string' }] },
    number: { value: 471147114711, type: 'number' },
    plain: { value: 'nothing of it', type: 'string' },
  }
  const resources = [
    {
      mode: 'managed',
      type: 'terraform_data',
      name: 'one',
      provider: 'provider["builtin"]',
      instances: [
        { index_key: secret, attributes: {} },
        { index_key: 'open', attributes: {} },
      ],
    },
  ]

  const made = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token('Deployer'))
    const info = lockInfo()
    await client.lock(info)
    const written = await client.write(stateOf(1, { outputs, resources }), info.ID)
    expect(written.statusCode).toBe(200)
    await client.unlock(info)
    const sensitive = async () => {
      for (const [key, value] of [
        ['password', secret],
        ['pin', '471147114711'],
      ])
        await owner.post(`${workspace.url}/variables`, { key, value, sensitive: true })
    }
    const viewer = await org.user('Viewer')
    return { org, owner, viewer, workspace, url: workspace.url, sensitive }
  }

  test('200: a Viewer sees no output that equals, contains or encodes a sensitive value, also one added later', async () => {
    const { org, viewer, url, sensitive } = await made()
    const before = (await viewer.get(`${url}/outputs`)).body
    expect(before).toContain('horse')
    await sensitive()
    const answer = await viewer.get(`${url}/outputs`)
    for (const trace of traces) expect(answer.body).not.toContain(trace)
    const shown = Object.fromEntries(
      answer.json().outputs.map((output: { name: string }) => [output.name, output]),
    )
    expect(shown).toMatchObject({
      equal: { value: '[masked]', sensitive: true },
      contained: { value: 'postgres://app:[masked]', sensitive: true },
      nested: { value: { list: [{ deep: '[masked]' }], kept: 'plain' }, sensitive: true },
      number: { value: '[masked]', sensitive: true },
      plain: { value: 'nothing of it', sensitive: false },
    })
    // A Deployer may read the state itself, so the outputs are not masked for them.
    const deployer = await org.user('Deployer')
    expect((await deployer.get(`${url}/outputs`)).body).toContain('battery')
  })

  test('200: a sensitive value in an instance key is masked in the resources of the state', async () => {
    const { viewer, url, sensitive } = await made()
    await sensitive()
    const answer = await viewer.get(`${url}/state/resources`)
    for (const trace of traces) expect(answer.body).not.toContain(trace)
    expect(answer.body).toContain('open')
  })

  test('200: a plan that was recorded before the value became sensitive is masked', async () => {
    const { org, owner, viewer, workspace, url, sensitive } = await made()
    const { id } = await startRun(owner, workspace)
    const plan = testPlan([
      {
        address: `aws_instance.web["${secret}"]`,
        actions: ['create'],
        after: { user_data: base64(secret), text: `x ${secret}`, [`${secret} key`]: 471147114711 },
      },
    ])
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
    const findings = [{ message: `x ${secret}`, resource: `aws_instance.web["${secret}"]` }]
    await harness.deps.store
      .platform('workspace_runs')
      .where({ id })
      .update({ gates: JSON.stringify([{ kind: 'policy', result: 'fail', findings }]) })
    const paths = [`${url}/runs/${id}`, `${url}/runs/${id}/plan`]
    for (const path of paths) expect((await viewer.get(path)).body).toContain('horse')
    await sensitive()
    for (const reader of [viewer, owner])
      for (const path of paths) {
        const { body } = await reader.get(path)
        expect(body).toContain('user_data')
        for (const trace of traces) expect(body).not.toContain(trace)
      }
  })

  test('200: what a run had in place of a sensitive value is masked in its plan and in the states after it', async () => {
    const { org, owner, viewer, workspace, url } = await made()
    const { platform } = harness.deps.store
    for (const [key, kind] of [
      ['password', 'terraform'],
      ['TF_VAR_pin', 'env'],
    ]) {
      const stored = { key, kind, value: 'of-the-workspace', sensitive: true }
      expect((await owner.post(`${url}/variables`, stored)).statusCode).toBe(201)
    }
    const vars = { password: secret, pin: 471147114711 }
    const { id } = await startRun(owner, workspace, { vars })
    const address = `aws_instance.web["${secret}"]`
    const after = { user_data: 'x', text: `x ${secret}` }
    const plan = testPlan([{ address, actions: ['create'], after }])
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
    await platform('workspace_runs')
      .where({ id })
      .update({ phase: 'succeeded', endedAt: new Date() })
    const assertMasked = async (paths: readonly string[]) => {
      for (const path of paths) {
        const { statusCode, body } = await viewer.get(path)
        expect([path, statusCode]).toEqual([path, 200])
        for (const trace of traces) expect(body, path).not.toContain(trace)
      }
    }
    const ofRun = [`${url}/runs/${id}`, `${url}/runs/${id}/plan`]
    const ofState = [`${url}/outputs`, `${url}/state/resources`]
    // The state was pushed by a person.
    await assertMasked([...ofRun, ...ofState])
    await platform('state_versions')
      .where({ workspaceId: workspace.id })
      .update({ workspaceRunId: id })
    // What later runs had is not asked for what an older one wrote.
    for (let later = 0; later < 11; later += 1)
      await platform('workspace_runs')
        .where({ id: (await startRun(owner, workspace)).id })
        .update({ phase: 'canceled', endedAt: new Date() })
    await assertMasked([...ofRun, ...ofState])
    const { run } = (await viewer.get(`${url}/runs/${id}`)).json()
    expect(run.outputs.length).toBeGreaterThan(0)
    const next = await startRun(owner, workspace, { vars: { word: secret } })
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: next.id }, plan)
    expect((await viewer.get(`${url}/runs/${next.id}/plan`)).body).toContain('horse')
  })

  test('200: lines of a log that are older than the mark are masked: a page, a stream and the runs of a pipeline', async () => {
    const { org, owner, viewer, workspace, url, sensitive } = await made()
    const { id } = await startRun(owner, workspace)
    const { store } = harness.deps
    const findings = [{ message: `x ${secret}` }]
    await store
      .platform('workspace_runs')
      .where({ id })
      .update({
        phase: 'succeeded',
        endedAt: new Date(),
        gates: JSON.stringify([{ kind: 'policy', result: 'fail', findings }]),
      })
    await store.tenant(org.id, async (tenant) => {
      const [stage] = await stages(tenant).ofRuns([{ id, workspaceRunId: id }])
      const lines = ['begin', `dsn = "postgres://app:${secret}@db"`, 'end']
      await logLines(tenant).append(
        stage?.id ?? 0,
        lines.map((line) => ({ level: 'info', line })),
      )
    })
    const { pipelines } = (await viewer.get('/api/pipelines')).json()
    const page = `${url}/runs/${id}/logs?stage=plan`
    const read = async () => [
      (await viewer.get(page)).body,
      (await viewer.get(page, { headers: { accept: 'text/event-stream' } })).body,
      (await viewer.get(`/api/pipelines/${pipelines[0].id}`)).body,
    ]
    for (const body of await read()) expect(body).toContain('horse')
    await sensitive()
    for (const body of await read()) {
      for (const trace of traces) expect(body).not.toContain(trace)
      expect(body).toContain('postgres://app:[masked]')
      expect(body).toContain('"end"')
    }
  })

  test('200: a page of a log that begins within a key is masked, whatever line it begins at', async () => {
    const { org, owner, viewer, workspace, url } = await made()
    const { id } = await startRun(owner, workspace)
    const key = Array.from({ length: 40 }, (_, n) => `${10 + n}`.padEnd(64, 'kQ9x'))
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const [stage] = await stages(tenant).ofRuns([{ id, workspaceRunId: id }])
      const lines = ['begin', ...key.map((line) => `    ${line}`), 'end']
      await logLines(tenant).append(
        stage?.id ?? 0,
        lines.map((line) => ({ level: 'info', line })),
      )
    })
    const value = key.join('\n')
    await owner.post(`${url}/variables`, { key: 'tls_key', value, sensitive: true })
    for (const after of [0, 20, 39]) {
      const { body } = await viewer.get(`${url}/runs/${id}/logs?stage=plan&after=${after}`)
      expect(body).toContain('[masked]')
      expect(body).not.toContain('kQ9x')
    }
  })

  test('200: each text within a sensitive object is masked, but no key', async () => {
    const { owner, viewer, url } = await made()
    const value = `{ username = "app", password = "${secret.replaceAll('"', '\\"')}" }`
    await owner.post(`${url}/variables`, { key: 'database', value, sensitive: true })
    const { outputs: shown } = (await viewer.get(`${url}/outputs`)).json()
    const [contained] = shown.filter(({ name }: { name: string }) => name === 'contained')
    expect(contained).toMatchObject({ value: 'postgres://app:[masked]', sensitive: true })
    // An environment variable is a program's own: its parts are addresses and names of projects.
    const other = await made()
    const json = JSON.stringify({ password: secret })
    const env = { key: 'SERVICE_CREDENTIALS', kind: 'env', value: json, sensitive: true }
    await other.owner.post(`${other.url}/variables`, env)
    expect((await other.viewer.get(`${other.url}/outputs`)).body).toContain('horse')
  })

  test.each(['changed', 'deleted', 'made plain', 'deleted with an override'] as const)(
    '200: a sensitive value that was %s, and is still in the state, is masked in outputs, runs and plans',
    async (how) => {
      const { org, owner, viewer, workspace, url } = await made()
      const isOverride = how === 'deleted with an override'
      const stored = async (body: object) => {
        const answer = await owner.post(`${url}/variables`, { sensitive: true, ...body })
        expect(answer.statusCode).toBe(201)
        return `${url}/variables/${answer.json().variable.id}`
      }
      const places = [
        await stored({ key: 'password', value: isOverride ? 'of-the-workspace' : secret }),
        await stored({ key: 'pin', value: '471147114711' }),
      ]
      const { id } = await startRun(owner, workspace, {
        ...(isOverride && { vars: { password: secret } }),
      })
      const plan = testPlan([
        { address: 'aws_instance.web', actions: ['create'], after: { text: `x ${secret}` } },
      ])
      await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
      const { platform } = harness.deps.store
      await platform('workspace_runs')
        .where({ id })
        .update({ phase: 'succeeded', endedAt: new Date() })
      await platform('state_versions')
        .where({ workspaceId: workspace.id })
        .update({ workspaceRunId: id })
      for (const place of places) {
        const answer = await (how === 'changed'
          ? owner.patch(place, { value: 'of-the-next-apply' })
          : how === 'made plain'
            ? owner.patch(place, { value: 'of-the-next-apply', sensitive: false })
            : owner.delete(place))
        expect(answer.statusCode).toBeLessThan(300)
      }
      const ofState = [`${url}/outputs`, `${url}/state/resources`]
      for (const path of [...ofState, `${url}/runs/${id}`, `${url}/runs/${id}/plan`]) {
        const { statusCode, body } = await viewer.get(path)
        expect([path, statusCode]).toEqual([path, 200])
        for (const trace of traces) expect(body, path).not.toContain(trace)
      }
    },
  )

  test('200: sensitive values of another workspace are not masked', async () => {
    const { owner, viewer, url } = await made()
    const other = await owner.post('/api/workspaces', { name: `w-${Date.now()}` })
    const place = `/api/workspaces/${other.json().workspace.id}/variables`
    await owner.post(place, { key: 'password', value: secret, sensitive: true })
    expect((await viewer.get(`${url}/outputs`)).body).toContain('horse')
  })
})
