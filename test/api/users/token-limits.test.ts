import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** An Org Admin's API token, as an attacker who stole it would use it. */
async function stolenToken() {
  const org = await harness.organization()
  const admin = await org.user('Org Admin')
  const authorization = `Bearer ${await admin.token('Org Admin')}`
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload: object) =>
    harness.app.inject({ method, url, payload, headers: { authorization } })
  return { org, send }
}

test.each([
  ['Deployer', 201, undefined],
  ['Viewer', 201, undefined],
  ['SRE · Cloud Admin', 403, 'session_required'],
  ['Org Admin', 403, 'session_required'],
])('an API token that invites a %s: %i', async (role, status, code) => {
  const { org, send } = await stolenToken()
  const person = { email: `a${Math.random()}@${org.slug}.example`, name: 'A', role }
  const answer = await send('POST', '/api/org/users', person)
  expect([answer.statusCode, answer.json().code]).toEqual([status, code])
})

test.each([
  [{ email: 'thief@example.com' }],
  [{ role: 'Deployer' }],
  [{ active: false }],
  [{ active: true }],
  [{ name: 'B', email: 'thief@example.com' }],
])('403: an API token that changes %o of a person', async (change) => {
  const { org, send } = await stolenToken()
  const person = await org.user('Viewer')
  const answer = await send('PATCH', `/api/org/users/${person.id}`, change)
  expect([answer.statusCode, answer.json().code]).toEqual([403, 'session_required'])
  const after = (await person.get(`/api/org/users/${person.id}`)).json().user
  expect(after).toMatchObject({ email: person.email, role: 'Viewer', active: true })
})

test('403: an API token that removes a person, also below its own role; a session removes them', async () => {
  const { org, send } = await stolenToken()
  const owner = await org.user('Owner')
  for (const role of ['Viewer', 'Org Admin'] as const) {
    const url = `/api/org/users/${(await org.user(role)).id}`
    const answer = await send('DELETE', url, {})
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'session_required'])
    expect((await owner.get(url)).json().user).toMatchObject({ role, active: true })
    expect((await owner.delete(url)).statusCode).toBe(200)
  }
})

test('200: an API token may rename a user', async () => {
  const { org, send } = await stolenToken()
  const person = await org.user('Viewer')
  const answer = await send('PATCH', `/api/org/users/${person.id}`, { name: 'B' })
  expect(answer.statusCode, answer.body).toBe(200)
})
