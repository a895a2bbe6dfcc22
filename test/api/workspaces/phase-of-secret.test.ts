import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('PATCH /api/workspaces/{id}/variables/{variableId} of the phase of a sensitive variable', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  /** A sensitive variable of an owner, and a Deployer who does not know its value. */
  async function secretOf(phase: string): Promise<{ deployer: TestUser; url: string; of: string }> {
    const { org, owner, url } = await ownedWorkspace(harness, 'Owner')
    const body = { key: 'API_KEY', value: 'key-that-can-write', kind: 'env', sensitive: true }
    const created = await owner.post(`${url}/variables`, { ...body, phase })
    expect(created.statusCode, created.body).toBe(201)
    const { id } = created.json().variable
    return { deployer: await org.user('Deployer'), url: `${url}/variables/${id}`, of: url }
  }

  test.each([
    ['apply', { phase: 'plan' }],
    ['apply', { phase: 'both' }],
    ['apply', { phase: 'both', sensitive: true }],
    ['apply', { phase: 'plan', description: 'of the registry' }],
    ['plan', { phase: 'apply' }],
    ['plan', { phase: 'both' }],
  ])('400: from %s to %o without a value', async (phase, change) => {
    const { deployer, url, of } = await secretOf(phase)
    const refused = await deployer.patch(url, change)
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({
      error: expect.stringContaining('send a new value'),
      details: [{ path: 'value' }],
    })
    const { variables } = (await deployer.get(`${of}/variables`)).json()
    expect(variables).toMatchObject([{ phase, sensitive: true, description: '' }])
  })

  test('200: with a new value, and from both phases to one of them', async () => {
    const { deployer, url } = await secretOf('apply')
    const widened = await deployer.patch(url, { phase: 'both', value: 'key-of-their-own' })
    expect(widened.json().variable).toMatchObject({ phase: 'both', value: null })
    const narrowed = await deployer.patch(url, { phase: 'plan' })
    expect(narrowed.json().variable).toMatchObject({ phase: 'plan', value: null })
    expect((await deployer.patch(url, { phase: 'both' })).statusCode).toBe(400)
    const same = await deployer.patch(url, { phase: 'plan', description: 'of the registry' })
    expect(same.json().variable).toMatchObject({ phase: 'plan', description: 'of the registry' })
  })
})
