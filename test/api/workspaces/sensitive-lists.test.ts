import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { logLines } from '../../../store/runs/log-lines.ts'
import { stages } from '../../../store/runs/stages.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import { startRun } from '../../harness/runs.ts'
import { recordedPlan } from '../infrastructure/recorded-plan.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'
import { listOf, storeLists } from './store-lists.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const made = async () => ownedWorkspace(harness)

describe('the texts in sensitive lists and objects of a workspace are bounded together', () => {
  test('400: lists with more texts together than reads search for', async () => {
    const { owner, url } = await made()
    const post = async (key: string, value: string, more: object = {}) =>
      owner.post(`${url}/variables`, { key, value, sensitive: true, ...more })
    for (const key of ['a', 'b']) expect((await post(key, listOf(450))).statusCode).toBe(201)
    const refused = await post('c', listOf(200))
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({
      code: 'variables_too_large',
      error: expect.stringMatching(/c has 200 texts .* than 1000 texts of 32 .* secret store/),
    })
    const env = await post('TF_VAR_c', listOf(200), { kind: 'env' })
    expect(env.json().code).toBe('variables_too_large')
    const plain = await post('d', listOf(200), { sensitive: false })
    const place = `${url}/variables/${plain.json().variable.id}`
    const marked = await owner.patch(place, { sensitive: true })
    expect(marked.json().code).toBe('variables_too_large')
    // As one text, and as what only programs read, it takes as much as any other value.
    const text = Buffer.from(listOf(200)).toString('base64')
    expect((await post('c', text)).statusCode).toBe(201)
    expect((await post('CREDENTIALS', listOf(200), { kind: 'env' })).statusCode).toBe(201)
  })

  test('200: lists from before that bound can be made smaller and deleted, and not larger', async () => {
    const { org, owner, workspace, url } = await made()
    await storeLists(harness, { organizationId: org.id, workspaceId: workspace.id })
    const { variables } = (await owner.get(`${url}/variables`)).json()
    const [first, second] = variables.map(({ id }: { id: number }) => `${url}/variables/${id}`)
    expect((await owner.patch(first, { value: listOf(990, 8) })).statusCode).toBe(200)
    expect((await owner.patch(first, { value: listOf(990, 9) })).json().code).toBe(
      'variables_too_large',
    )
    expect((await owner.patch(first, { value: 'as-one-text' })).statusCode).toBe(200)
    expect((await owner.delete(second)).statusCode).toBe(200)
  })

  test('400: overrides of a run with more texts than reads search for', async () => {
    const { owner, url } = await made()
    const keys = { key: 'keys', value: 'of-the-workspace', sensitive: true }
    expect((await owner.post(`${url}/variables`, keys)).statusCode).toBe(201)
    const apply = async (vars: object) => owner.post(`${url}/apply`, { vars })
    const refused = await apply({ keys: listOf(300) })
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({
      code: 'variables_too_large',
      error: expect.stringMatching(/have 300 texts .* than 250 texts of 32 characters/),
    })
    expect((await apply({ keys: listOf(240), open: listOf(300) })).statusCode).toBe(201)
  })
})

describe('more secrets than can be searched for: nothing is shown that could have one', () => {
  const shown = 'a-text-of-the-state'
  const withState = async () => {
    const { org, owner, workspace, url } = await made()
    const client = stateClient(harness.app, workspace, await owner.token('Deployer'))
    const info = lockInfo()
    await client.lock(info)
    const instances = [{ index_key: shown, attributes: {} }]
    const resource = { mode: 'managed', type: 'terraform_data', name: 'one', instances }
    const state = stateOf(1, {
      outputs: { text: { value: [shown, 4711], type: ['tuple', ['string', 'number']] } },
      resources: [{ ...resource, provider: 'provider["builtin"]' }],
    })
    expect((await client.write(state, info.ID)).statusCode).toBe(200)
    await client.unlock(info)
    return { org, owner, viewer: await org.user('Viewer'), workspace, url }
  }

  test('200: of lists that were stored before their number was bounded', async () => {
    const { org, owner, viewer, workspace, url } = await withState()
    const { id } = await startRun(owner, workspace)
    const address = `aws_instance.web["${shown}"]`
    const plan = testPlan([{ address, actions: ['create'], after: { text: `x ${shown}` } }])
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const [stage] = await stages(tenant).ofRuns([{ id, workspaceRunId: id }])
      await logLines(tenant).append(stage?.id ?? 0, [{ level: 'info', line: `x ${shown}` }])
    })
    const finding = { level: 'warn', policyId: 7, enforcement: 'advisory', message: shown }
    const gates = JSON.stringify([{ kind: 'policy', result: 'warn', findings: [finding] }])
    await harness.deps.store.platform('workspace_runs').where({ id }).update({ gates })
    const paths = ['outputs', 'state/resources', `runs/${id}`, `runs/${id}/plan`]
    const all = [...paths, `runs/${id}/logs?stage=plan`]
    const read = async (path: string) => {
      const { statusCode, body } = await viewer.get(`${url}/${path}`)
      expect([path, statusCode]).toEqual([path, 200])
      return body
    }
    for (const path of all) expect(await read(path), path).toContain(shown)
    await storeLists(harness, { organizationId: org.id, workspaceId: workspace.id })
    for (const path of all) {
      const body = await read(path)
      expect(body, path).toContain('[masked]')
      expect(body, path).not.toContain(shown)
    }
    // A gate that warned is still seen to have warned.
    const { run } = (await viewer.get(`${url}/runs/${id}`)).json()
    const told = run.stages.flatMap(({ gates = [] }: { gates?: object[] }) => gates)
    expect(told).toMatchObject([{ findings: [{ ...finding, message: '[masked]' }] }])
  })

  test('200: of what runs overrode, but where no variable is sensitive', async () => {
    const { owner, viewer, workspace, url } = await withState()
    const large = (n: number) => `${n}`.padEnd(60_000, 'x')
    for (let n = 0; n < 6; n += 1) {
      const vars = { a: large(n), b: large(n), c: large(n), d: large(n) }
      const { id } = await startRun(owner, workspace, { vars })
      const ended = { phase: 'succeeded', endedAt: new Date() }
      await harness.deps.store.platform('workspace_runs').where({ id }).update(ended)
    }
    expect((await viewer.get(`${url}/outputs`)).body).toContain(shown)
    const other = { key: 'other', value: 'of-the-workspace', sensitive: true }
    expect((await owner.post(`${url}/variables`, other)).statusCode).toBe(201)
    const { statusCode, body } = await viewer.get(`${url}/outputs`)
    expect(statusCode).toBe(200)
    expect(body).not.toContain(shown)
    expect(body).not.toContain('4711')
  })
})
