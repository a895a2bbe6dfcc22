import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../store/driver/connect.ts'
import { fillWriters } from '../../store/migrations/0158-writers-of-earlier-reruns.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestUser } from '../harness/test-user.ts'

let harness: Harness
let owner: ReturnType<typeof connectOwner>
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
  owner = connectOwner(harness.config.databaseUrl)
})
afterAll(async () => {
  await owner.destroy()
  await harness.close()
})

const platform = () => harness.deps.store.platform
const vars = { n: 2 }

/** A workspace with a pipeline of its own and another one, and those who start its runs. */
async function world() {
  const org = await harness.organization()
  const by = await org.user('Owner')
  const workspace = await org.workspace({ by })
  const name = `nightly-${randomBytes(4).toString('hex')}`
  const body = { name, kind: 'infrastructure', targetWorkspaceId: workspace.id }
  const nightly = (await by.post('/api/pipelines', body)).json().pipeline.id
  const started = async (person: TestUser, url: string, sent: object = {}) => {
    const answer = await person.post(url, sent)
    expect(answer.statusCode, answer.body).toBe(201)
    return Number(answer.json().run.id)
  }
  const placed = async (id: number) =>
    Number((await platform()('pipeline_runs').where({ id }).first()).workspaceRunId)
  const noted = async (ids: number[], overridesBy: number[] = []) =>
    platform()('workspace_runs').whereIn('id', ids).update({ overridesBy })
  const writers = async (id: number) =>
    (await platform()('workspace_runs').where({ id }).first('overridesBy')).overridesBy
  const user = async () => org.user('Deployer')
  return {
    ...workspace,
    nightly: `/api/pipelines/${nightly}`,
    started,
    placed,
    noted,
    writers,
    user,
  }
}

test('who wrote the variables of reruns from before is known by the runs that they repeat', async () => {
  const { url, started, noted, writers, user } = await world()
  const [writer, other, starter, again] = [await user(), await user(), await user(), await user()]
  const first = await started(writer, `${url}/apply`, { vars })
  const apart = await started(other, `${url}/apply`, { vars })
  const second = await started(starter, `${url}/runs/${first}/rerun`)
  const third = await started(again, `${url}/runs/${second}/rerun`)
  const without = await started(again, `${url}/apply`)
  const ofWithout = await started(starter, `${url}/runs/${without}/rerun`)
  await noted([second])
  // Started after the upgrade, of one from before it.
  await noted([third], [starter.id])

  await fillWriters(owner)

  expect(await writers(second)).toEqual([writer.id])
  expect(await writers(third)).toEqual([writer.id, starter.id])
  for (const id of [first, apart, without, ofWithout]) expect(await writers(id)).toEqual([])
  await fillWriters(owner)
  expect(await writers(third)).toEqual([writer.id, starter.id])
})

test('of a run of another pipeline too; where that is gone, all who wrote variables for these files', async () => {
  const { url, nightly, started, placed, noted, writers, user } = await world()
  const [writer, other, stray, starter] = [await user(), await user(), await user(), await user()]
  const place = await started(writer, `${nightly}/run`, { vars })
  const apart = await started(other, `${url}/apply`, { vars })
  await started(stray, `${url}/apply`, { vars, destroy: true })
  const again = await placed(await started(starter, `${nightly}/runs/${place}/rerun`))
  await noted([again])
  await fillWriters(owner)
  expect(await writers(again)).toEqual([writer.id])

  await noted([again])
  await owner('pipeline_runs').where({ id: place }).delete()
  await fillWriters(owner)
  expect(await writers(again)).toEqual([writer.id, other.id].toSorted((a, b) => a - b))
  expect(await writers(apart)).toEqual([])
})
