import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
let idp: ScimClient
beforeAll(async () => {
  harness = await createHarness()
  idp = await scimClient(harness, await harness.organization())
})
afterAll(async () => harness.close())

const times = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => of(n))
const terms = times(20, (n) => `formatted co "q${n}"`).join(' or ')
const costly = times(199, () => ({ op: 'remove', path: `addresses[${terms}]` }))

test('400: operations that compare too much change nothing, and the refusal names the first that did', async () => {
  const addresses = times(100, (n) => ({ formatted: `${'Ж'.repeat(986)}${n}` }))
  const { id } = await idp.user('addresses@acme.test', { addresses })
  const path = `/Users/${id}`
  const tag = (await idp.get(path)).headers['etag']

  const refused = await idp.patch(path, { op: 'add', path: 'title', value: 'x' }, ...costly)
  expect([refused.statusCode, refused.json()]).toEqual([
    400,
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'invalidValue',
      detail: expect.stringMatching(/^Operation 2 compares too much: .*Send fewer operations/),
    },
  ])
  const after = await idp.get(path)
  expect(after.headers['etag']).toBe(tag)
  expect(after.json()).not.toHaveProperty('title')
  expect(after.json().addresses).toHaveLength(100)
})

test('200: as many operations on a person of few and short values', async () => {
  const addresses = times(5, (n) => ({ formatted: `Street ${n}`, type: `t${n}` }))
  const { id } = await idp.user('few@acme.test', { addresses })
  const kept = await idp.patch(`/Users/${id}`, ...costly)
  expect([kept.statusCode, kept.json().addresses]).toEqual([200, addresses])
})

test('400: filters that choose more than 10,000 members change nothing; 200: lists of members', async () => {
  const { id: ada } = await idp.user('ada@acme.test')
  const { id: bob } = await idp.user('bob@acme.test')
  const { id } = await idp.group('Engineers', [ada])
  const path = `/Groups/${id}`
  const choosing = times(501, (at) => {
    const ids = times(20, (n) => `value eq "${at}-${n}"`)
    return { op: 'remove', path: `members[${ids.join(' or ')}]` }
  })
  const add = { op: 'add', path: 'members', value: [{ value: bob }] }
  const refused = await idp.patch(path, add, ...choosing)
  expect([refused.statusCode, refused.json().scimType]).toEqual([400, 'invalidValue'])
  expect(refused.json().detail).toMatch(/^The filters of operations 1 to 502 choose more than/)
  expect((await idp.get(path)).json().members).toMatchObject([{ value: ada }])

  const value = times(20_000, (n) => ({ value: n === 0 ? ada : `nobody-${n}` }))
  const kept = await idp.patch(path, add, { op: 'remove', path: 'members', value })
  expect(kept.statusCode, kept.body).toBe(200)
  expect((await idp.get(path)).json().members).toMatchObject([{ value: bob }])
})
