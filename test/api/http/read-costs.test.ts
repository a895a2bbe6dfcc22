import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { showDifferences } from '../../../domain/git/show-differences.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { gitHydrations, placeOfShown } from '../../../store/git/git-hydrations.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { logLines } from '../../../store/runs/log-lines.ts'
import { stages } from '../../../store/runs/stages.ts'
import { recordedPlan } from '../infrastructure/recorded-plan.ts'
import { lockInfo, stateClient, stateOf } from '../workspaces/state-client.ts'
import { listOf, storeLists } from '../workspaces/store-lists.ts'

/**
 * Half a megabyte of JSON, as much as a page of a plan has. Reading and writing it is the least work that an answer of
 * its size takes: 4 ms of CPU on a machine on which a page takes at most 31.
 */
const bare = JSON.stringify(
  Array.from({ length: 10_000 }, (_, n) => ({ name: `value ${n}`, value: [n, 'text', null] })),
)
const maxTimesBare = 10

interface Cost {
  timesBare: number
  /** -1 where the answer was not 200. */
  bytes: number
}

/** Stores the data that is the most expensive to read. */
describe('a page costs at most 10 times the CPU of half a megabyte of JSON, whatever is stored', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  let viewer: TestUser
  let workspace: TestWorkspace
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    owner = await org.user('Owner')
    viewer = await org.user('Viewer')
    workspace = await org.workspace({ by: owner })
    await storeSecrets()
  })
  afterAll(async () => harness.close())

  /**
   * Stores as many and as long secrets as a workspace may have. Their lines are all masked, and
   * their escaped forms are longer.
   */
  async function storeSecrets() {
    for (let n = 0; n < 200; n += 1) {
      const lines = Array.from({ length: 60 }, () => `<&"${randomBytes(30).toString('hex')}`)
      const value = `<é&${'"<>&'.repeat(8)}\n${lines.join('\n')}`
      const fields = { key: `secret_${n}`, value, sensitive: true }
      const made = await owner.post(`${workspace.url}/variables`, fields)
      expect(made.statusCode, made.body).toBe(201)
    }
  }

  const read = async (url: string, reader: TestUser) =>
    new Promise<number>((resolve, reject) => {
      const headers = { cookie: `cc_session=${reader.cookie}` }
      get(`${harness.config.baseUrl}${url}`, { headers }, (answer) => {
        let size = 0
        answer.on('data', (bytes: Buffer) => (size += bytes.length))
        answer.on('end', () => resolve(answer.statusCode === 200 ? size : -1)).on('error', reject)
      }).on('error', reject)
    })

  const cpuMs = async (work: () => unknown): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }

  /**
   * The CPU time of the process, including the client that reads the answer, as a ratio to the bare work right before
   * it. The smallest of 8 counts, because the load of the machine changes.
   */
  async function costOf(url: string, reader = viewer): Promise<Cost> {
    const ratios: number[] = []
    let bytes = 0
    for (let n = 0; n < 8; n += 1) {
      const least = await cpuMs(() => JSON.stringify(JSON.parse(bare)))
      const ms = await cpuMs(async () => (bytes = await read(url, reader)))
      ratios.push(Math.round((10 * ms) / least) / 10)
    }
    return { timesBare: Math.min(...ratios), bytes }
  }

  async function expectCheap(costs: Record<string, Cost>) {
    const dear = Object.entries(costs).filter(
      ([, { timesBare, bytes }]) => timesBare >= maxTimesBare || bytes < 0,
    )
    expect(dear, JSON.stringify(costs)).toEqual([])
    if (process.env['COST_LOG']) console.log(JSON.stringify(costs))
  }

  test('a plan of long texts, of many attributes and of deep addresses', async () => {
    const plans = {
      texts: Array.from({ length: 60 }, (_, n) => ({
        address: `a_b.n${n}`,
        actions: ['create'],
        after: Object.fromEntries(
          Array.from({ length: 60 }, (__, m) => [`k${m}`, randomBytes(500).toString('hex')]),
        ),
      })),
      attributes: Array.from({ length: 400 }, (_, n) => ({
        address: `a_b.n${n}`,
        actions: ['create'],
        after: Object.fromEntries(Array.from({ length: 200 }, (__, m) => [`k${m}`, m])),
      })),
      'long attributes': Array.from({ length: 400 }, (_, n) => ({
        address: `a_b.n${n}`,
        actions: ['create'],
        after: Object.fromEntries(
          Array.from({ length: 200 }, (__, m) => [`k${m}`, `<&"${m}12345678`]),
        ),
      })),
      addresses: Array.from({ length: 2_000 }, (_, n) => ({
        address: `module.m["${'<"'.repeat(400)}"].a_b.n${n}`,
        actions: ['create'],
        after: {},
      })),
    }
    const costs: Record<string, Cost> = {}
    for (const [what, changes] of Object.entries(plans)) {
      const { id } = await startRun(owner, workspace)
      await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, testPlan(changes))
      const url = `${workspace.url}/runs/${id}`
      costs[what] = await costOf(`${url}/plan?limit=200`)
      costs[`${what}: run`] = await costOf(url)
    }
    await expectCheap(costs)
  }, 240_000)

  test('outputs and resources of a state', async () => {
    const of = (length: number, text: string) => `[${Array(length).fill(text).join(',')}]`
    const shapes = {
      numbers: of(30_000, '1'),
      'long numbers': of(7_000, '12345678'),
      'empty objects': of(20_000, '{}'),
      'empty lists': of(20_000, '[]'),
      'short texts': of(12_000, '"a"'),
      'long texts': of(60, JSON.stringify('<&"'.repeat(300))),
      keys: `{${Array.from({ length: 5_000 }, (_, n) => `"k${n}abc":0`).join(',')}}`,
    }
    const client = stateClient(harness.app, workspace, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    const costs: Record<string, Cost> = {}
    let serial = 0
    for (const [what, shape] of Object.entries(shapes)) {
      serial += 1
      const outputs = Array.from(
        { length: 60 },
        (_, n) => `"o${n}":{"value":${shape},"type":"string"}`,
      )
      const text = JSON.stringify(stateOf(serial, { outputs: 'HERE' })).replace(
        '"HERE"',
        () => `{${outputs.join(',')}}`,
      )
      const written = await client.write(text, info.ID)
      expect(written.statusCode, written.body).toBe(200)
      costs[what] = await costOf(`${workspace.url}/outputs?limit=200`)
    }
    const instances = Array.from({ length: 3_000 }, (_, n) => ({
      index_key: `${'<"'.repeat(400)}${n}`,
      attributes: {},
    }))
    const resources = [{ mode: 'managed', type: 't', name: 'n', provider: 'p', instances }]
    const large = await client.write(JSON.stringify(stateOf(serial + 1, { resources })), info.ID)
    expect(large.statusCode, large.body).toBe(200)
    costs['resources'] = await costOf(`${workspace.url}/state/resources?limit=200`)
    await expectCheap(costs)
  }, 240_000)

  test('a page of a log, and the runs of a pipeline with the beginnings of theirs', async () => {
    const { id } = await startRun(owner, workspace)
    const lines = Array.from({ length: 10_000 }, () => randomBytes(50).toString('hex'))
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const [stage] = await stages(tenant).ofRuns([{ id, workspaceRunId: id }])
      await logLines(tenant).append(
        stage?.id ?? 0,
        lines.map((line) => ({ level: 'info', line })),
      )
    })
    const { pipelines } = (await viewer.get('/api/pipelines')).json()
    const place = pipelines.find(
      ({ targetWorkspaceId }: { targetWorkspaceId: number }) => targetWorkspaceId === workspace.id,
    )
    const url = `${workspace.url}/runs/${id}/logs?stage=plan`
    await expectCheap({
      page: await costOf(url),
      pipeline: await costOf(`/api/pipelines/${place.id}`),
    })
  }, 240_000)

  test('variables at the limits of number and length', async () => {
    const other = await org.workspace({ by: owner })
    for (let n = 0; n < 200; n += 1) {
      const made = await owner.post(`${other.url}/variables`, {
        key: `open_${n}`,
        value: '<é"'.repeat(1_900),
      })
      expect(made.statusCode, made.body).toBe(201)
    }
    await expectCheap({
      open: await costOf(`${other.url}/variables?limit=200`),
      sensitive: await costOf(`${workspace.url}/variables?limit=200`),
    })
  }, 240_000)

  test('a hydration with 2,000 diverged files, and a list of hydrations', async () => {
    const sides = Array.from({ length: 2_000 }, (_, n) => ({
      path: `workspaces/w/${'p'.repeat(200)}${n}.tf`,
      ours: Array.from({ length: 100 }, () => `${randomBytes(10).toString('hex')}\n`).join(''),
      theirs: Array.from({ length: 100 }, () => `${randomBytes(10).toString('hex')}\n`).join(''),
    }))
    const shown = { differences: [...showDifferences(sides)], omittedDifferences: 1_500 }
    const { id: organizationId } = org
    const { platform } = harness.deps.store
    const [version] = await platform('configuration_versions')
      .where({ organizationId, workspaceId: workspace.id })
      .select('id')
    const place = {
      organizationId,
      workspaceId: workspace.id,
      configurationVersionId: version.id,
      repositoryId: 'r',
      branch: 'b',
      state: 'diverged',
    }
    const files = JSON.stringify(
      Object.fromEntries(sides.map(({ path }) => [path, 'a'.repeat(40)])),
    )
    const rows = await platform('git_hydrations')
      .insert(
        Array.from({ length: 30 }, () => ({ ...place, files, differences: randomBytes(100_000) })),
      )
      .returning('id')
    const id = rows[0].id
    const sealed = harness.deps.keyring.seal(
      placeOfShown(organizationId, id),
      JSON.stringify(shown),
    )
    await platform('git_hydrations').where({ id }).update({ shownDifferences: sealed })
    const found = await harness.deps.store.tenant(organizationId, async (tenant) =>
      gitHydrations(tenant).getShown(workspace.id, id),
    )
    expect(found.shownDifferences?.equals(sealed)).toBe(true)
    await expectCheap({
      hydration: await costOf(`${workspace.url}/hydrations/${id}`),
      list: await costOf(`${workspace.url}/hydrations?limit=200`),
    })
  }, 240_000)

  test('sensitive lists of as many texts as may be, and of 85,000 from before that was bounded', async () => {
    const other = await org.workspace({ by: owner })
    for (let n = 0; n < 4; n += 1) {
      const list = { key: `list_${n}`, value: listOf(240), sensitive: true }
      const made = await owner.post(`${other.url}/variables`, list)
      expect(made.statusCode, made.body).toBe(201)
    }
    const client = stateClient(harness.app, other, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    const texts = (length: number) => Array.from({ length }, () => randomBytes(500).toString('hex'))
    const outputs = { o: { value: texts(60), type: ['list', 'string'] } }
    const written = await client.write(stateOf(1, { outputs }), info.ID)
    expect(written.statusCode, written.body).toBe(200)
    const { id } = await startRun(owner, other)
    const plan = testPlan(
      Array.from({ length: 60 }, (_, n) => ({
        address: `a_b.n${n}`,
        actions: ['create'],
        after: Object.fromEntries(texts(60).entries()),
      })),
    )
    await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
    const urls = ['outputs', 'state/resources', `runs/${id}`, `runs/${id}/plan?limit=200`]
    const read = async () => {
      const costs: Record<string, Cost> = {}
      for (const url of urls) costs[url] = await costOf(`${other.url}/${url}`)
      await expectCheap(costs)
    }
    await read()
    await storeLists(harness, { organizationId: org.id, workspaceId: other.id })
    await read()
  }, 240_000)
})
