import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

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
