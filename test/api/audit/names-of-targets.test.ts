import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('GET /api/audit', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const targetOf = async (user: TestUser, event: string) =>
    (await user.get(`/api/audit?event=${event}`)).json().entries[0].target

  test('200: a workspace that was recorded by its id alone has the name that it has now', async () => {
    const { owner, workspace, url } = await ownedWorkspace(harness)
    await owner.post(`${url}/variables`, { key: 'size', value: '3' })
    const event = 'workspace.variable_created'
    expect(await targetOf(owner, event)).toEqual({
      kind: 'workspace',
      id: workspace.id,
      label: workspace.name,
    })
    await owner.patch(url, { name: 'shop-staging' })
    expect((await targetOf(owner, event)).label).toBe('shop-staging')
    // What was recorded with a name keeps it.
    expect((await targetOf(owner, 'workspace.created')).label).toBe(workspace.name)
    expect((await owner.delete(url)).statusCode).toBe(200)
    expect((await targetOf(owner, event)).label).toBeNull()
  })
})
