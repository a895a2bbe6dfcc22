import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunBody } from '../../../api/runs/schemas.ts'
import { bytesFromPostgres } from '../../harness/bytes-from-postgres.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { deployActivities, deployWorld } from '../../harness/deploy/deploy-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

/** 200 releases of a pipeline that wait for a second person. The first is the oldest. */
async function waitingReleases() {
  const { platform } = harness.deps.store
  const world = await deployWorld(harness, { criticality: 'production' })
  await world.hosts.add('a')
  const first = await world.built({ by: await world.org.user('Deployer') })
  await deployActivities(harness).next(first.id)
  const { rows } = await platform.raw(
    `with place as materialized (
       select nextval('run_ids')::integer as id, n from generate_series(1, 199) n),
     placed as (
       insert into pipeline_runs (id, organization_id, pipeline_id, number)
       select id, :organizationId, :pipelineId, n + 1 from place),
     copied as (
       insert into application_runs select copy.* from application_runs a cross join place
         cross join lateral jsonb_populate_record(a, jsonb_build_object('pipeline_run_id', place.id)) copy
       where a.pipeline_run_id = :id)
     select id from place order by id`,
    { id: first.id, organizationId: world.org.id, pipelineId: world.pipelineId },
  )
  const ids: number[] = [first.id, ...rows.map(({ id }: { id: number }) => id)]
  const set = async (change: object, of: readonly number[] = ids) =>
    platform('application_runs')
      .whereIn('pipelineRunId', [...of])
      .update(change)
  const url = `/api/pipelines/${world.pipelineId}/runs`
  /** The runs, the oldest first. */
  const list = async (limit = 200): Promise<RunBody[]> => {
    const answer = await world.owner.get(`${url}?limit=${limit}`)
    expect(answer.statusCode, answer.body.slice(0, 500)).toBe(200)
    return answer.json().runs.toReversed()
  }
  const detail = async (id: number): Promise<RunBody> =>
    (await world.owner.get(`${url}/${id}`)).json().run
  return { ids, set, list, detail }
}

const manifest = (bytes: number): string => {
  const line = `# ${'x'.repeat(276)}\n`
  return `version: 1\nbuild:\n  artifact: { path: dist }\n${line.repeat(bytes / line.length)}`
}
const previewed = (runs: readonly RunBody[]): number[] =>
  runs.flatMap(({ id, deployment }) => (deployment ? id : []))

test('200: 200 releases that wait, each with a manifest of its own of 250 KiB: one manifest is read', async () => {
  const { ids, set, list, detail } = await waitingReleases()
  await set({ manifest: manifest(250 * 1_024) })
  const { answer, bytes } = await bytesFromPostgres(list)
  expect(bytes).toBeLessThan(1_500_000)
  expect(answer.map(({ id }) => id)).toEqual(ids)
  expect(previewed(answer)).toEqual(ids.slice(-1))
  const [oldest = 0] = ids
  expect((await detail(oldest)).deployment).toMatchObject({ hosts: { total: 1, pending: 1 } })
})

test('200: of releases with small manifests the newest five have a preview, in as many statements as one', async () => {
  const { ids, set, list } = await waitingReleases()
  await set({ manifest: manifest(2_000) })
  expect(previewed(await list())).toEqual(ids.slice(-5))
  // Promotions of one artifact share its manifest, so that all of them have a preview.
  const [built = 0, ...promoted] = ids
  await set({ artifactRunId: built, manifest: null }, promoted)
  const count = async (limit: number) => {
    const { answer, statements } = await countStatements(async () => list(limit))
    expect(previewed(answer)).toEqual(ids.slice(-limit))
    return statements.length
  }
  expect(await count(200)).toBe(await count(2))
})

test('200: where the commits of a page are large, it has the first five of each run; the run itself has all', async () => {
  const { ids, set, list, detail } = await waitingReleases()
  const commits = Array.from({ length: 100 }, (_, n) => ({
    sha: `${n}`.padStart(40, '0'),
    author: 'a'.repeat(300),
    message: 'm'.repeat(500),
  }))
  await set({ commits: JSON.stringify(commits) })
  const [oldest = 0, second = 0, ...others] = ids
  await set({ commits: JSON.stringify(commits.slice(0, 5)) }, [second])
  const { answer, bytes } = await bytesFromPostgres(list)
  expect(bytes).toBeLessThan(2_500_000)
  expect(answer.map((run) => run.commits)).toEqual(ids.map(() => commits.slice(0, 5)))
  expect(answer.map((run) => run.commitsTruncated)).toEqual(ids.map((id) => id !== second))
  expect(await detail(oldest)).toMatchObject({ commits, commitsTruncated: false })

  // An ordinary page: a few runs have many commits.
  await set({ commits: '[]' }, others)
  const [first] = await list()
  expect(first).toMatchObject({ commits, commitsTruncated: false })
})
