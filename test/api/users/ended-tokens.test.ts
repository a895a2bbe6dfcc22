import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { scimClient } from '../scim/scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

type Place = { org: TestOrganization; owner: TestUser; person: TestUser; publicId: string }
type Road = { event: string; off: (place: Place) => Promise<unknown>; on?: Road['off'] }

const url = ({ person }: Place) => `/api/org/users/${person.id}`
const scim = async (place: Place, active: boolean) =>
  (await scimClient(harness, place.org)).patch(`/Users/${place.publicId}`, {
    op: 'replace',
    path: 'active',
    value: active,
  })
const roads: Record<string, Road> = {
  'PATCH /api/org/users': {
    event: 'org.user_updated',
    off: async (place) => place.owner.patch(url(place), { active: false }),
    on: async (place) => place.owner.patch(url(place), { active: true }),
  },
  'DELETE /api/org/users': {
    event: 'org.user_deleted',
    off: async (place) => place.owner.delete(url(place)),
  },
  'SCIM active = false': {
    event: 'scim.user_deactivated',
    off: async (place) => scim(place, false),
    on: async (place) => scim(place, true),
  },
  'SCIM DELETE': {
    event: 'scim.user_deleted',
    off: async ({ org, publicId }) => (await scimClient(harness, org)).delete(`/Users/${publicId}`),
  },
}

for (const [name, { event, off, on }] of Object.entries(roads))
  test(`401: a deactivation by ${name} ends API tokens permanently`, async () => {
    const org = await harness.organization()
    const [owner, person] = [await org.user('Owner'), await org.user('Deployer')]
    const row = await harness.deps.store
      .platform('users')
      .where({ id: person.id })
      .first('publicId')
    const place = { org, owner, person, publicId: row.publicId }
    const tokens = [await person.token(), await person.token()]
    const other = await owner.token()
    const status = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await harness.app.inject({ url: '/api/auth/me', headers })).statusCode
    }
    for (const token of tokens) expect(await status(token)).toBe(200)
    await off(place)
    await on?.(place)
    for (const token of tokens) expect(await status(token)).toBe(401)
    expect(await status(other)).toBe(200)
    const { entries } = (await owner.get(`/api/audit?event=${event}`)).json()
    const detail = entries.at(-1).detail
    expect(detail.tokensEnded ?? detail.apiTokens.from).toBe(2)
  })

test('401: a token that is created during a deactivation ends with it', async () => {
  const org = await harness.organization()
  const [owner, person] = [await org.user('Owner'), await org.user('Deployer')]
  await Promise.all([
    owner.patch(`/api/org/users/${person.id}`, { active: false }),
    ...Array.from({ length: 8 }, async (_, n) =>
      person.post('/api/auth/tokens', { name: `t${n}`, role: 'Viewer' }),
    ),
  ])
  const live = await harness.deps.store
    .platform('tokens')
    .where({ userId: person.id, kind: 'pat' })
    .whereNull('revokedAt')
  expect(live).toEqual([])
})
