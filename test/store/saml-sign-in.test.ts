import { unwrap, type Tenant } from '../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSamlSession } from '../../store/saml/open-saml-session.ts'
import { samlPeople } from '../../store/saml/saml-people.ts'
import { samlRequests } from '../../store/saml/saml-requests.ts'
import { newMessageId } from '../../domain/saml/new-message-id.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

let harness: Harness
let org: TestOrganization
let other: TestOrganization
beforeAll(async () => {
  harness = await createHarness()
  org = await harness.organization()
  other = await harness.organization()
})
afterAll(async () => harness.close())

const within = async <T>(organization: TestOrganization, work: (tenant: Tenant) => Promise<T>) =>
  harness.deps.store.tenant(organization.id, work)

describe('the statement that takes an answer', () => {
  const until = new Date(Date.now() + 600_000)
  const ask = async () => {
    const id = newMessageId()
    const request = { id, kind: 'login' as const, relayState: randomBytes(32).toString('hex') }
    await within(org, async (tenant) => samlRequests(tenant).create(request))
    return { requestId: id, kind: 'login' as const, messageId: newMessageId(), until }
  }
  const take = async (answer: Awaited<ReturnType<typeof ask>>, of = org) =>
    within(of, async (tenant) => samlRequests(tenant).takeAnswer(answer))

  test('gives one of twenty at once something, whoever else sends the same', async () => {
    const answer = await ask()
    const taken = await Promise.all(Array.from({ length: 20 }, async () => take(answer)))
    expect(taken.filter((one) => one !== undefined)).toEqual([
      { suspended: false, configuration: undefined },
    ])
  })

  test('a message that was seen takes another request and gives nothing', async () => {
    const [first, second] = [await ask(), await ask()]
    expect(await take(first)).toBeDefined()
    expect(await take({ ...second, messageId: first.messageId })).toBeUndefined()
    expect(await take(second)).toBeUndefined()
  })

  test('another organization, or another kind, takes nothing', async () => {
    const answer = await ask()
    expect(await take(answer, other)).toBeUndefined()
    expect(
      await within(org, async (tenant) =>
        samlRequests(tenant).takeAnswer({ ...answer, kind: 'test' }),
      ),
    ).toBeUndefined()
    expect(await take(answer)).toBeDefined()
  })
})

test('a user name is another’s where they have another address; whoever SCIM has just made is no other', async () => {
  const asked = async (userName: string, email: string | null) =>
    within(org, async (tenant) => {
      const { db } = unwrap(tenant)

      await db('users').insert({ organizationId: org.id, userName, email, name: 'n' })
      return samlPeople(tenant).isUserNameOfAnother(userName.toLowerCase())
    })
  expect(await asked('One@acme.test', 'else@acme.test')).toBe(true)
  expect(await asked('Two@acme.test', 'two@acme.test')).toBe(false)
  // Found by the user name, or the insert of the same name ends in another look.
  expect(await asked('three@acme.test', null)).toBe(false)
})

describe('the statement that opens a session', () => {
  const open = async (userId: number, of = org) =>
    within(of, async (tenant) =>
      openSamlSession(tenant, {
        userId,
        tokenHash: randomBytes(32),
        ip: '127.0.0.1',
        userAgent: 'test',
        requestId: 'test',
        detail: {},
        principal: {
          nameId: 'ada',
          nameIdFormat: null,
          nameQualifier: null,
          spNameQualifier: null,
          sessionIndex: null,
          roleCeiling: 'Org Admin',
          idpSavedBy: [],
          notAfter: null,
        },
      }),
    )
  const left = async (userId: number) =>
    within(org, async (tenant) => {
      const { db } = unwrap(tenant)

      const { rows } = await db.raw(
        `select (select count(*)::integer from sessions where user_id = :userId and kind = 'saml') as sessions,
           (select count(*)::integer from audit_entries
             where event = 'auth.login' and target_id = :userId::text) as entries,
           (select count(*)::integer from saml_traces) as traces`,
        { userId },
      )
      return rows[0]
    })

  test('leaves all three, or for somebody deactivated or of another organization none', async () => {
    const gone = await org.user('Viewer')
    const stranger = await other.user('Viewer')
    await within(org, async (tenant) =>
      unwrap(tenant).db('users').where({ id: gone.id }).update({ active: false }),
    )
    expect(await open(gone.id)).toBe(false)
    expect(await open(stranger.id)).toBe(false)
    expect(await left(gone.id)).toEqual({ sessions: 0, entries: 0, traces: 0 })
    const ada = await org.user('Viewer')
    expect(await open(ada.id)).toBe(true)
    expect(await left(ada.id)).toEqual({ sessions: 1, entries: 1, traces: 1 })
  })

  test('waits for whoever deactivates the person at this moment', async () => {
    const ada = await org.user('Viewer')
    let opened: Promise<boolean> | undefined
    await within(org, async (tenant) => {
      const { db } = unwrap(tenant)

      await db('users').where({ id: ada.id }).update({ active: false })
      opened = open(ada.id)
      // Until it waits for this very transaction.
      for (let tries = 0, waiting = 0; waiting === 0 && tries < 300; tries += 1) {
        const { rows } = await harness.deps.store.platform.raw(
          `select count(*)::integer as n from pg_locks where not granted`,
        )
        waiting = rows[0].n
      }
    })
    expect(await opened).toBe(false)
    expect(await left(ada.id)).toMatchObject({ sessions: 0, entries: 0 })
  })
})

test('an address finds its person in this organization alone, before a user name that says the same', async () => {
  const ada = await org.user('Viewer')
  const look = async (of: TestOrganization, identifier: string, isEmail: boolean) =>
    within(of, async (tenant) =>
      samlPeople(tenant).look({ identifier, isEmail, groups: [], defaultRole: 'Viewer' }),
    )
  expect((await look(org, ada.email.toLowerCase(), true)).found).toEqual({
    id: ada.id,
    active: true,
    platformAdmin: false,
    roleNow: 'Viewer',
  })
  expect((await look(other, ada.email.toLowerCase(), true)).found).toBeUndefined()

  const provisioned = { organizationId: org.id, name: 'Bob', email: null }
  const [bob] = await within(org, async (tenant) =>
    unwrap(tenant)
      .db('users')
      .insert({ ...provisioned, userName: 'Bob.B' })
      .returning('id'),
  )
  const found = { id: bob.id, active: true, platformAdmin: false, roleNow: 'Viewer' }
  expect((await look(org, 'bob.b', false)).found).toEqual(found)
  // A user name that is no address of theirs opens nothing of somebody who has one.
  await within(org, async (tenant) =>
    unwrap(tenant).db('users').where({ id: ada.id }).update({ userName: 'eve@x.test' }),
  )
  expect((await look(org, 'eve@x.test', true)).found).toBeUndefined()
})
