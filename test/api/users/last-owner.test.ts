import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createTestUser, type TestUser } from '../../harness/test-user.ts'
import { scimClient } from '../scim/scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** An Owner who is signed in, and others whose invitations are open. */
async function withInvitedOwners(count: number) {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const invited: { id: number; email: string; organizationId: number; url: string }[] = []
  for (let at = 0; at < count; at += 1) {
    const email = `owner${at}@${org.slug}.example`
    const made = await owner.post('/api/org/users', { email, name: 'Late', role: 'Owner' })
    expect(made.statusCode, made.body).toBe(201)
    const { id } = made.json().user
    invited.push({ id, email, organizationId: org.id, url: `/api/org/users/${id}` })
  }
  return { org, owner, url: `/api/org/users/${owner.id}`, invited }
}

const leaves: Record<string, (owner: TestUser, url: string) => ReturnType<TestUser['get']>> = {
  demoted: async (owner, url) => owner.patch(url, { role: 'Org Admin' }),
  deactivated: async (owner, url) => owner.patch(url, { active: false }),
  deleted: async (owner, url) => owner.delete(url),
}

describe('the last Owner who has signed in', () => {
  test.each(Object.keys(leaves))(
    '409: is not %s while the other Owner has not accepted the invitation',
    async (how) => {
      const { owner, url, invited } = await withInvitedOwners(1)
      const refused = await leaves[how]?.(owner, url)
      expect([refused?.statusCode, refused?.json().code]).toEqual([409, 'last_owner'])
      for (const one of invited) await createTestUser(harness.app, harness.deps, one)
      expect((await leaves[how]?.(owner, url))?.statusCode).toBe(200)
    },
  )

  test('409: is not deactivated by SCIM either', async () => {
    const { org, owner } = await withInvitedOwners(1)
    const idp = await scimClient(harness, org)
    const platform = harness.deps.store.platform('users')
    // The client signs in an Owner of its own, who made its token.
    await platform.clone().where({ organizationId: org.id }).update({ firstSignedInAt: null })
    await platform.clone().where({ id: owner.id }).update({ firstSignedInAt: new Date() })
    const { publicId } = await platform.clone().where({ id: owner.id }).first('publicId')
    const off = { op: 'replace', path: 'active', value: false }
    expect((await idp.patch(`/Users/${publicId}`, off)).statusCode).toBe(409)
    expect((await idp.delete(`/Users/${publicId}`)).statusCode).toBe(409)
  })

  test('200: an Owner who never signed in is taken out while one who has remains', async () => {
    const { owner, invited } = await withInvitedOwners(1)
    for (const { url } of invited) expect((await owner.delete(url)).statusCode).toBe(200)
  })

  test('200: of two Owners who never signed in one is taken out where nobody else is Owner', async () => {
    const { org, invited, owner } = await withInvitedOwners(2)
    const administrator = await org.user('Viewer', { platformAdmin: true })
    await harness.deps.store
      .platform('role_grants')
      .where({ userId: owner.id })
      .update({ role: 'Viewer' })
    const [one, two] = invited
    expect((await administrator.delete(one?.url ?? '')).statusCode).toBe(200)
    expect((await administrator.delete(two?.url ?? '')).json().code).toBe('last_owner')
  })
})
