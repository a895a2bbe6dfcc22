import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxPlanPageBytes } from '../../../api/infrastructure/plan-page.ts'
import { testPlan } from '../../../domain/infrastructure/test-plan.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { recordedPlan } from './recorded-plan.ts'

describe('the pages of a plan', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const withPlan = async (planJson?: unknown) => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const { id } = await startRun(owner, workspace)
    const place = { organizationId: org.id, workspaceRunId: id }
    if (planJson !== undefined) await recordedPlan(harness, place, planJson)
    const url = `${workspace.url}/runs/${id}`
    return { org, owner, viewer: await org.user('Viewer'), workspace, id, url }
  }

  const resource = (name: string, fields = {}) => ({
    address: `aws_instance.${name}`,
    actions: ['create'],
    after: { name },
    ...fields,
  })

  /** Reads every page from the first to the last. */
  const pagesOf = async (
    reader: { get(url: string): Promise<{ statusCode: number; body: string }> },
    url: string,
    limit: number,
  ) => {
    const pages: Array<{ bytes: number; plan: PlanAnswer }> = []
    for (let cursor: string | null = ''; cursor !== null && pages.length < 1_000;) {
      const after = cursor === '' ? '' : `&cursor=${cursor}`
      const answer = await reader.get(`${url}/plan?limit=${limit}${after}`)
      expect(answer.statusCode, answer.body).toBe(200)
      const { plan } = JSON.parse(answer.body)
      pages.push({ bytes: Buffer.byteLength(answer.body), plan })
      cursor = plan.nextCursor
    }
    return pages
  }
  type Row = { address: string; attributes: Array<{ after: unknown }>; omittedAttributes: number }
  type PlanAnswer = { overview: unknown; resources: Row[]; outputs: Row[]; drift: Row[] }

  test('200: a Viewer reads every change once, deletions first, without sensitive values', async () => {
    const changes = [
      ...Array.from({ length: 430 }, (_, n) => resource(`web${n}`)),
      resource('gone', { actions: ['delete'], before: { name: 'gone' }, after: null }),
      resource('secret', { after: { pin: 'correct-horse' }, afterSensitive: { pin: true } }),
    ]
    const output = { actions: ['create'], after: 'correct-horse', after_sensitive: true }
    const drift = testPlan([resource('drifted', { actions: ['delete'], before: { a: 1 } })])
    const { viewer, url, workspace, id } = await withPlan(
      testPlan(changes, {
        output_changes: { pin: output },
        resource_drift: drift['resource_changes'],
      }),
    )
    const pages = await pagesOf(viewer, url, 200)
    expect(pages.map(({ plan }) => plan.resources.length)).toEqual([200, 200, 32])
    const addresses = pages.flatMap(({ plan }) => plan.resources.map(({ address }) => address))
    expect(addresses[0]).toBe('aws_instance.gone')
    expect(new Set(addresses).size).toBe(432)
    expect(pages.at(-1)?.plan).toMatchObject({
      outputs: [{ name: 'pin', attributes: [{ after: '(sensitive value)', sensitive: true }] }],
      drift: [{ address: 'aws_instance.drifted' }],
    })
    expect(JSON.stringify(pages)).not.toContain('correct-horse')
    for (const { plan } of pages)
      expect(plan.overview).toEqual({
        actions: { destroy: 1, replace: 0, update: 0, create: 431, read: 0, move: 0 },
        outputs: 1,
        drift: 1,
        imports: 0,
        omittedChanges: 0,
      })

    const { run } = (await viewer.get(url)).json()
    expect(run.plan.resources).toHaveLength(50)
    const next = await viewer.get(`${url}/plan?cursor=${run.plan.nextCursor}&limit=1`)
    expect(next.json().plan.resources[0].address).toBe(addresses[50])
    const inPipeline = `/api/pipelines/${workspace.pipelineId}/runs/${id}/plan?limit=1`
    expect((await viewer.get(inPipeline)).json().plan.resources[0].address).toBe(addresses[0])
  })

  test('200: an import names its object, masked where that is a secret by now', async () => {
    const { owner, url, workspace } = await withPlan(
      testPlan([
        resource('main', {
          actions: ['update'],
          before: { name: 'other' },
          changeFields: { importing: { id: 'i-correct-horse' } },
        }),
      ]),
    )
    const read = async () => (await owner.get(`${url}/plan`)).json().plan
    expect(await read()).toMatchObject({
      overview: { actions: { update: 1 }, imports: 1 },
      resources: [{ importing: { id: 'i-correct-horse' } }],
    })
    const secret = { key: 'token', value: 'correct-horse', sensitive: true }
    expect((await owner.post(`${workspace.url}/variables`, secret)).statusCode).toBe(201)
    expect((await read()).resources[0].importing).toEqual({ id: 'i-[masked]' })
  })

  test('200: a page of large changes ends at its limit, and the run’s answer at 256 KiB', async () => {
    const after = Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [`key${n}`, '\u0001'.repeat(2_000)]),
    )
    const changes = Array.from({ length: 40 }, (_, n) => resource(`web${n}`, { after }))
    const { viewer, url } = await withPlan(testPlan(changes))
    const pages = await pagesOf(viewer, url, 200)
    expect(pages.flatMap(({ plan }) => plan.resources)).toHaveLength(40)
    expect(pages.length).toBeGreaterThan(2)
    for (const { bytes } of pages) expect(bytes).toBeLessThan(maxPlanPageBytes + 1_000)
    expect(Buffer.byteLength((await viewer.get(url)).body)).toBeLessThan(280 * 1_024)
  })

  test('200: null before the plan exists, and for an old plan without rows', async () => {
    const { viewer, url, id, org } = await withPlan()
    expect((await viewer.get(`${url}/plan`)).json()).toEqual({ plan: null })
    await recordedPlan(
      harness,
      { organizationId: org.id, workspaceRunId: id },
      testPlan([resource('a')]),
    )
    await harness.deps.store
      .platform('plans')
      .where({ workspaceRunId: id })
      .update({ overview: null })
    expect((await viewer.get(`${url}/plan`)).json()).toEqual({ plan: null })
    expect((await viewer.get(url)).json().run.plan).toBeNull()
  })

  test('200: a page past the end is empty', async () => {
    const { viewer, url } = await withPlan(testPlan([resource('a')]))
    const answer = await viewer.get(`${url}/plan?cursor=999999999999999`)
    expect(answer.json().plan).toMatchObject({ resources: [], nextCursor: null })
  })

  test('404: another organization’s plan', async () => {
    const { url } = await withPlan(testPlan([resource('a')]))
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.get(`${url}/plan`)).statusCode).toBe(404)
  })

  test('500: rows that an attacker copied from another run in the database are not shown', async () => {
    const { viewer, url, id, org, owner, workspace } = await withPlan(testPlan([resource('a')]))
    const other = await startRun(owner, workspace)
    const place = { organizationId: org.id, workspaceRunId: other.id }
    await recordedPlan(harness, place, testPlan([resource('harmless')]))
    const { platform } = harness.deps.store
    await platform('plan_changes').where({ workspaceRunId: id }).delete()
    await platform('plan_changes')
      .where({ workspaceRunId: other.id })
      .update({ workspaceRunId: id })
    expect((await viewer.get(`${url}/plan`)).statusCode).toBe(500)
  })
})
