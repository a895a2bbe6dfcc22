import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { simpleFiles } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const platform = () => harness.deps.store.platform

test('403: whoever wrote the variables of a run, however often others run it again', async () => {
  const org = await harness.organization()
  const [writer, starter, again, other] = await Promise.all(
    Array.from({ length: 4 }, async () => org.user('Deployer')),
  ).then((users) => users as [TestUser, TestUser, TestUser, TestUser])
  const workspace = await org.workspace({ by: await org.user('Owner'), criticality: 'production' })
  const end = async (id: number) =>
    platform()('workspace_runs').where({ id }).update({ phase: 'failed', endedAt: new Date() })
  const { run } = (await writer.post(`${workspace.url}/apply`, { vars: { n: 2 } })).json()
  await end(run.id)
  const rerun = async (by: TestUser, id: number): Promise<number> => {
    const answer = await by.post(`${workspace.url}/runs/${id}/rerun`, {})
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json().run.id
  }
  const refusalOf = async (person: TestUser, id: number) => {
    await platform()('workspace_runs')
      .where({ id })
      .update({ phase: 'awaiting_approval', planDigest: 'sha256:0' })
    return (await person.get(`${workspace.url}/runs/${id}`)).json().run.because.mayApprove
  }
  const first = await rerun(starter, run.id)
  expect(await refusalOf(writer, first)).toBe('approver_is_author')
  expect(await refusalOf(other, first)).toBeUndefined()
  await end(first)
  const second = await rerun(again, first)
  expect(await refusalOf(writer, second)).toBe('approver_is_author')
  expect(await refusalOf(starter, second)).toBe('approver_is_author')
  expect(await refusalOf(other, second)).toBeUndefined()
})

test('403: of an older version that was never applied, who wrote it and what it is based on', async () => {
  const org = await harness.organization()
  const [first, second, third, fourth, starter] = await Promise.all(
    Array.from({ length: 5 }, async () => org.user('Deployer')),
  ).then((users) => users as [TestUser, TestUser, TestUser, TestUser, TestUser])
  const workspace = await org.workspace({ by: first, criticality: 'production' })
  const write = async (by: TestUser, line: string) => {
    const files = { 'main.tf': `${simpleFiles['main.tf']}# ${line}\n` }
    const put = await by.put(`${workspace.url}/configuration`, { files })
    expect(put.statusCode, put.body).toBe(201)
  }
  const endedRun = async (phase: 'succeeded' | 'failed'): Promise<number> => {
    const { run } = (await starter.post(`${workspace.url}/apply`)).json()
    await platform()('workspace_runs').where({ id: run.id }).update({ phase, endedAt: new Date() })
    return run.id
  }
  await endedRun('succeeded')
  await write(second, 'never applied')
  await write(third, 'on top of it')
  const rejected = await endedRun('failed')
  await write(fourth, 'without both')
  await endedRun('succeeded')
  // As the end of that apply does.
  await platform()('workspace_authorship')
    .where({ workspaceId: workspace.id })
    .update({ appliedAt: new Date() })

  const answer = await starter.post(`${workspace.url}/runs/${rejected}/rerun`, {})
  expect(answer.statusCode, answer.body).toBe(201)
  const { id } = answer.json().run
  const waiting = { phase: 'awaiting_approval', planDigest: 'sha256:0' }
  await platform()('workspace_runs').where({ id }).update(waiting)

  const refusalOf = async (person: TestUser) =>
    (await person.get(`${workspace.url}/runs/${id}`)).json().run.because.mayApprove
  expect(await refusalOf(second)).toBe('approver_is_author')
  expect(await refusalOf(third)).toBe('approver_is_author')
  expect(await refusalOf(starter)).toBe('approver_is_author')
  expect(await refusalOf(first)).toBeUndefined()
  expect(await refusalOf(fourth)).toBeUndefined()
  await platform()('configuration_versions')
    .where({ workspaceId: workspace.id, number: 2 })
    .update({ unknownAuthor: true })
  expect(await refusalOf(first)).toBeDefined()
})
