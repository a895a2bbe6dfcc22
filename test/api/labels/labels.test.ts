import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

type Kind = 'workspaces' | 'pipelines'

const namesOf = async (user: TestUser, kind: Kind, query = '') => {
  const answer = await user.get(`/api/${kind}?${query}`)
  expect(answer.statusCode, `${query}: ${answer.body}`).toBe(200)
  return (answer.json()[kind] as Array<{ name: string }>).map(({ name }) => name)
}

const labels = (one: string) => ({ team: 'payments', 'example.com/tier': one, note: 'a=b & c' })

/** Three workspaces, two of which have labels, each with a pipeline beside its own. */
async function world(org: TestOrganization) {
  const author = await org.user('Deployer')
  for (const [name, more] of [
    ['shop', { labels: labels('1'), description: 'Sells things.' }],
    ['data', { labels: labels('2') }],
    ['mail', {}],
  ] as const) {
    const made = await author.post('/api/workspaces', { name, ...more })
    expect(made.statusCode, made.body).toBe(201)
    const { workspace } = made.json()
    await author.put(`/api/workspaces/${workspace.id}/configuration`, {
      files: { 'main.tf': 'resource "terraform_data" "one" {}\n' },
    })
    const beside = await author.post('/api/pipelines', {
      name: `${name} by night`,
      kind: 'infrastructure',
      targetWorkspaceId: workspace.id,
      ...('labels' in more && { labels: { when: name } }),
    })
    expect(beside.statusCode, beside.body).toBe(201)
  }
  const listed = (await author.get('/api/workspaces?sort=name')).json().workspaces
  const idOf = (name: string): number =>
    listed.find((one: { name: string }) => one.name === name).id
  return { author, viewer: await org.user('Viewer'), idOf }
}

const entries = async (org: TestOrganization, event: string) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('audit_entries').where({ event }).orderBy('id').pluck('detail'),
  )

test('200: workspaces and pipelines by a label, one of several, and never another organization’s', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  await world(others)
  const { viewer } = await world(org)
  const all = ['data', 'mail', 'shop']
  const cases: Array<[string, string[]]> = [
    ['', all],
    ['label=team%3Dpayments', ['data', 'shop']],
    ['label=example.com/tier%3D1', ['shop']],
    ['label=example.com/tier%3D1&label=example.com/tier%3D2', ['data', 'shop']],
    // The first equals sign ends the key.
    ['label=note%3Da%3Db%20%26%20c', ['data', 'shop']],
    ['label=team%3DPayments', []],
    ['label=team%3D', []],
    ['label=team%3D%25', []],
    ['label=none%3Dpayments', []],
    ['label=team%3Dpayments&q=sho', ['shop']],
    ['label=team%3Dpayments&criticality=production', []],
  ]
  for (const [query, expected] of cases)
    expect(await namesOf(viewer, 'workspaces', `sort=name&${query}`), query).toEqual(expected)
  expect(await namesOf(viewer, 'pipelines', 'label=when%3Dshop')).toEqual(['shop by night'])
  expect(
    await namesOf(viewer, 'pipelines', 'sort=-name&label=when%3Dshop&label=when%3Ddata&q=NIGHT'),
  ).toEqual(['shop by night', 'data by night'])
  // A workspace's labels are not its pipelines'.
  expect(await namesOf(viewer, 'pipelines', 'label=team%3Dpayments')).toEqual([])
  const first = await viewer.get('/api/workspaces?sort=name&label=team%3Dpayments&limit=1')
  const { workspaces, nextCursor } = first.json()
  expect(workspaces).toMatchObject([{ name: 'data', labels: labels('2'), description: '' }])
  expect(
    await namesOf(
      viewer,
      'workspaces',
      `sort=name&label=team%3Dpayments&limit=1&cursor=${nextCursor}`,
    ),
  ).toEqual(['shop'])
})

test('200: runs by a label of their workspace or of their pipeline', async () => {
  const org = await harness.organization()
  const { author, viewer, idOf } = await world(org)
  const started: Record<string, number> = {}
  for (const name of ['shop', 'data', 'mail']) {
    const answer = await author.post(`/api/workspaces/${idOf(name)}/apply`, {})
    expect(answer.statusCode, answer.body).toBe(201)
    started[name] = answer.json().run.id
  }
  const [night] = (await viewer.get('/api/pipelines?q=shop%20by%20night')).json().pipelines
  const byNight = await author.post(`/api/pipelines/${night.id}/run`, { message: 'nightly' })
  expect(byNight.statusCode, byNight.body).toBe(201)
  const runsOf = async (query: string) => {
    const answer = await viewer.get(`/api/runs?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer
      .json()
      .runs.map(({ workspace, message }: never) => [
        (workspace as { name: string }).name,
        message ?? null,
      ])
  }
  const count = async (query: string) => (await runsOf(query)).length
  expect(await count('')).toBe(4)
  expect(await count('label=team%3Dpayments')).toBe(3)
  expect(await count('label=example.com/tier%3D2')).toBe(1)
  expect(await count('label=when%3Dshop')).toBe(1)
  expect(await count('label=when%3Dshop&label=team%3Dpayments')).toBe(3)
  expect(await count(`label=team%3Dpayments&workspaceId=${idOf('mail')}`)).toBe(0)
  expect(await count(`label=team%3Dpayments&workspaceId=${idOf('data')}`)).toBe(1)
  expect(await count('label=team%3Dpayments&q=nightly')).toBe(1)
  expect(await count('label=team%3Dpayments&state=failed')).toBe(0)
  expect(await count('label=no%3Dbody')).toBe(0)
  // Page by page, without a gap or a repetition.
  const walked: number[] = []
  let cursor = ''
  do {
    const page = (await viewer.get(`/api/runs?limit=1&label=team%3Dpayments${cursor}`)).json()
    walked.push(...page.runs.map(({ id }: { id: number }) => id))
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
  } while (cursor)
  expect(walked).toEqual(walked.toSorted((a, b) => b - a))
  expect(new Set(walked).size).toBe(3)
})

test('200: changed labels and descriptions are found at once, audited, and void no plan', async () => {
  const org = await harness.organization()
  const { author, viewer, idOf } = await world(org)
  const url = `/api/workspaces/${idOf('mail')}`
  const run = (await author.post(`${url}/apply`, {})).json().run
  const changed = await author.patch(url, { labels: { team: 'post' }, description: 'Sends mail.' })
  expect(changed.statusCode, changed.body).toBe(200)
  expect(changed.json().workspace).toMatchObject({
    labels: { team: 'post' },
    description: 'Sends mail.',
  })
  expect(await namesOf(viewer, 'workspaces', 'label=team%3Dpost')).toEqual(['mail'])
  await author.patch(url, { labels: { team: 'letters' } })
  expect(await namesOf(viewer, 'workspaces', 'label=team%3Dpost')).toEqual([])
  expect(await namesOf(viewer, 'workspaces', 'label=team%3Dletters')).toEqual(['mail'])
  // The same again, in another order, is no change.
  await author.patch(url, { labels: { team: 'letters' }, description: 'Sends mail.' })
  expect(await entries(org, 'workspace.updated')).toEqual([
    {
      labels: { from: {}, to: { team: 'post' } },
      description: { from: '', to: 'Sends mail.' },
    },
    { labels: { from: { team: 'post' }, to: { team: 'letters' } } },
  ])
  await author.patch(url, { labels: {} })
  expect(await namesOf(viewer, 'workspaces', 'label=team%3Dletters')).toEqual([])
  const after = (await viewer.get(`${url}/runs/${run.id}`)).json().run
  expect(after).toMatchObject({ state: 'running', reason: null })

  const [pipeline] = (await viewer.get('/api/pipelines?q=mail%20by')).json().pipelines
  const at = `/api/pipelines/${pipeline.id}`
  const answer = await author.patch(at, { labels: { when: 'night' }, description: 'At night.' })
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.json().pipeline).toMatchObject({ labels: { when: 'night' } })
  expect((await viewer.get(at)).json().pipeline).toMatchObject({ description: 'At night.' })
  await author.patch(at, { labels: { when: 'night' } })
  expect(await entries(org, 'pipeline.updated')).toEqual([
    {
      labels: { from: {}, to: { when: 'night' } },
      description: { from: '', to: 'At night.' },
    },
  ])
  expect((await author.delete(at)).statusCode).toBe(200)
  expect(await namesOf(viewer, 'pipelines', 'label=when%3Dnight')).toEqual([])
})

test('400 and 403: labels and filters beyond their bounds, and a Viewer', async () => {
  const org = await harness.organization()
  const { author, viewer, idOf } = await world(org)
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key${n}`, 'x']))
  for (const body of [
    { labels: many },
    { labels: { Team: 'x' } },
    { labels: { '-team': 'x' } },
    { labels: { 'a b': 'x' } },
    { labels: { '': 'x' } },
    { labels: { [`a${'b'.repeat(63)}`]: 'x' } },
    { labels: { team: 'x'.repeat(101) } },
    { labels: { team: 'a\nb' } },
    { labels: { team: 'a\u202eb' } },
    { labels: { team: 1 } },
    { labels: ['team'] },
    { labels: null },
    { description: 'x'.repeat(501) },
    { description: 'a\nb' },
  ]) {
    for (const url of [`/api/workspaces/${idOf('mail')}`]) {
      const answer = await author.patch(url, body)
      expect(answer.statusCode, `${JSON.stringify(body)}: ${answer.body}`).toBe(400)
    }
    const made = await author.post('/api/workspaces', { name: 'never', ...body })
    expect(made.statusCode, JSON.stringify(body)).toBe(400)
  }
  const most = Object.fromEntries(Object.entries(many).slice(0, 20))
  const longest = { [`a${'b'.repeat(62)}`]: 'x'.repeat(100) }
  for (const accepted of [most, longest])
    expect(
      (await author.patch(`/api/workspaces/${idOf('mail')}`, { labels: accepted })).statusCode,
    ).toBe(200)
  for (const kind of ['workspaces', 'pipelines', 'runs'])
    for (const query of [
      'label=team',
      'label=Team%3Dx',
      'label=%3Dx',
      'label=',
      `label=team%3D${'x'.repeat(101)}`,
    ])
      expect((await viewer.get(`/api/${kind}?${query}`)).statusCode, `${kind} ${query}`).toBe(400)
  const change = { labels: { team: 'mine' } }
  expect((await viewer.patch(`/api/workspaces/${idOf('mail')}`, change)).statusCode).toBe(403)
  const [pipeline] = (await viewer.get('/api/pipelines?q=by')).json().pipelines
  expect((await viewer.patch(`/api/pipelines/${pipeline.id}`, change)).statusCode).toBe(403)
})

test('the filter reads an index: row-level security allows it to', async () => {
  const org = await harness.organization()
  await world(org)
  const plan = await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    await db.raw('set local enable_seqscan = off')
    const { rows } = await db.raw(
      `explain select workspace_id from workspace_labels
       where organization_id = ? and (key, value) in (('team', 'payments'), ('team', 'post'))`,
      [org.id],
    )
    return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/Index Cond: .*key = 'team'.*value = /)
})
