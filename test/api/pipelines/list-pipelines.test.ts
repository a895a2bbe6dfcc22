import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesFromPostgres } from '../../harness/bytes-from-postgres.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { deployActivities, deployWorld } from '../../harness/deploy/deploy-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

test('200: pipelines that workspaces brought, the others, or both', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  for (const one of [org, others]) {
    const user = await one.user('Deployer')
    for (const name of ['one', 'two']) {
      const { workspace } = (await user.post('/api/workspaces', { name })).json()
      await user.post('/api/pipelines', {
        name: `release-${name}`,
        kind: 'infrastructure',
        targetWorkspaceId: workspace.id,
      })
    }
  }
  const viewer = await org.user('Viewer')
  const named = async (query: string) => {
    const answer = await viewer.get(`/api/pipelines?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().pipelines.map(({ name }: { name: string }) => name)
  }
  const own = ['release-one', 'release-two']
  expect(await named('managed=false')).toEqual(own)
  expect(await named('managed=true')).toEqual(['provision-one', 'provision-two'])
  expect((await named('')).toSorted()).toEqual(['provision-one', 'provision-two', ...own])
  expect(await named('managed=false&q=two')).toEqual(['release-two'])
  expect(await named('managed=true&q=TWO')).toEqual(['provision-two'])
  const first = (await viewer.get('/api/pipelines?managed=false&limit=1')).json()
  expect(await named(`managed=false&limit=1&cursor=${first.nextCursor}`)).toEqual(['release-two'])
  expect((await viewer.get('/api/pipelines?managed=maybe')).statusCode).toBe(400)
})

test('200: each order, forwards and backwards, also page by page', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  await (await others.user('Deployer')).post('/api/workspaces', { name: 'theirs' })
  const author = await org.user('Deployer')
  const made: Record<string, { id: number; pipelineId: number }> = {}
  for (const [name, criticality] of [
    ['mail', 'standard'],
    ['shop', 'production'],
    ['data', 'standard'],
  ] as const) {
    const workspace = await org.workspace({ by: author, criticality, fields: { name } })
    made[name] = workspace
    // Names that a cursor has to keep as they are.
    await author.post('/api/pipelines', {
      name: `${name} “nightly, ü"`,
      kind: 'infrastructure',
      targetWorkspaceId: workspace.id,
    })
  }
  for (const name of ['data', 'mail'])
    await author.post(`/api/workspaces/${made[name]?.id}/apply`, {})
  const named = (names: readonly string[]) =>
    names.map((name) =>
      name.endsWith('*') ? `${name.slice(0, -1)} “nightly, ü"` : `provision-${name}`,
    )
  const orders: Record<string, string[]> = {
    id: ['mail', 'mail*', 'shop', 'shop*', 'data', 'data*'],
    name: ['data*', 'mail*', 'data', 'mail', 'shop', 'shop*'],
    criticality: ['shop', 'shop*', 'data*', 'mail*', 'data', 'mail'],
    lastRunAt: ['mail*', 'shop', 'shop*', 'data*', 'data', 'mail'],
  }
  const page = async (query: string) => {
    const answer = await author.get(`/api/pipelines?${query}`)
    expect(answer.statusCode, `${query}: ${answer.body}`).toBe(200)
    return answer.json() as { pipelines: Array<{ name: string }>; nextCursor: string | null }
  }
  for (const [sort, names] of Object.entries(orders))
    for (const [sign, expected] of [
      ['', named(names)],
      ['-', named(names).toReversed()],
    ] as const) {
      const all = await page(`sort=${sign}${sort}`)
      expect(
        all.pipelines.map(({ name }) => name),
        `${sign}${sort}`,
      ).toEqual(expected)
      const walked: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { pipelines, nextCursor } = await page(
          `sort=${sign}${sort}&limit=2${cursor && `&cursor=${cursor}`}`,
        )
        walked.push(...pipelines.map(({ name }) => name))
        cursor = nextCursor
      }
      expect(walked, `${sign}${sort} by pages`).toEqual(expected)
    }
  const { nextCursor } = await page('sort=name&limit=2')
  for (const query of [
    `cursor=${nextCursor}`,
    `sort=lastRunAt&cursor=${nextCursor}`,
    'sort=name&cursor=12',
    'sort=name&cursor=e30',
    `sort=name&cursor=${Buffer.from('["a\\u0000",1]').toString('base64url')}`,
    `sort=name&cursor=${Buffer.from('["a",1e300]').toString('base64url')}`,
    `sort=name&cursor=${Buffer.from('["a",{}]').toString('base64url')}`,
    'sort=state',
  ])
    expect((await author.get(`/api/pipelines?${query}`)).statusCode, query).toBe(400)
  expect((await page('cursor=99999999999999')).pipelines).toEqual([])
})

test('200: a deployment that stops between two steps waits for a person', async () => {
  const world = await deployWorld(harness)
  const { owner, hosts, pipelineId } = world
  for (const name of ['a', 'b', 'c']) await hosts.add(name)
  const deploy =
    'strategy: c\nstrategies: { c: { kind: canary, steps: [30, 60, 100], confirm: each } }'
  const run = await world.built({ deploy })
  const shown = async () => [
    (await owner.get('/api/pipelines?managed=false')).json().pipelines[0].lastRun,
    (await owner.get(`/api/pipelines/${pipelineId}`)).json().pipeline.lastRun,
  ]
  const lastRun = { number: 1, state: 'running' }
  expect(await shown()).toEqual([lastRun, lastRun])
  await deployActivities(harness).deploy(run, hosts)
  const waiting = { ...lastRun, awaitingApproval: true }
  expect(await shown()).toEqual([waiting, waiting])
})

test('200: a page ends before 384 KiB of patterns; all pages together have each pipeline once', async () => {
  const org = await harness.organization()
  const viewer = await org.user('Viewer')
  const pattern = `'"' || repeat('é', 499)`
  await harness.deps.store.platform.raw(
    `insert into pipelines (organization_id, name, kind, trigger_paths, trigger_tags)
     select ?, 'app-' || lpad(n::text, 3, '0'), 'application', patterns, patterns
     from generate_series(1, 200) n
       cross join lateral (select case when n % 5 = 0 then '{}'
         else array_fill(${pattern}, array[50]) end::text[]) as given (patterns)`,
    [org.id],
  )
  const read = async (query: string) => {
    const { answer, bytes } = await bytesFromPostgres(async () =>
      viewer.get(`/api/pipelines?${query}`),
    )
    expect(answer.statusCode, answer.body.slice(0, 500)).toBe(200)
    expect(bytes).toBeLessThan(1_000_000)
    return answer.json() as { pipelines: Array<{ name: string }>; nextCursor: string | null }
  }
  for (const sort of ['id', '-name']) {
    const names: string[] = []
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = await read(`limit=200&sort=${sort}${after}`)
      expect(page.pipelines.length).toBeGreaterThan(0)
      names.push(...page.pipelines.map(({ name }) => name))
      after = page.nextCursor === null ? undefined : `&cursor=${page.nextCursor}`
    }
    expect(names).toHaveLength(200)
    expect(names).toEqual(sort === 'id' ? names.toSorted() : names.toSorted().toReversed())
    expect(new Set(names).size).toBe(200)
  }
})
