import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allSchemas } from '../../../domain/scim/schemas.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient, type ScimClient } from './scim-client.ts'

let harness: Harness
let idp: ScimClient
let group: string
beforeAll(async () => {
  harness = await createHarness()
  idp = await scimClient(harness, await harness.organization())
  const { id: user } = await idp.user('victim@acme.test', { externalId: 'v' })
  group = (await idp.group('Secret', [user])).id
})
afterAll(async () => harness.close())

const encoded = encodeURIComponent

describe('hostile input', () => {
  test('the text of a filter is only ever a value (SQL injection)', async () => {
    const hostile = [
      `' or 1=1 --`,
      `\\'; drop table users; --`,
      '%',
      '_',
      '?',
      '$1',
      ':id',
      '\\\\',
      '{}',
      '[]',
      'a"b',
    ]
    for (const text of hostile)
      for (const operator of ['eq', 'co', 'sw', 'ew', 'gt', 'ne']) {
        const filter = encoded(`userName ${operator} ${JSON.stringify(text)}`)
        const answer = await idp.get(`/Users?filter=${filter}`)
        expect(answer.statusCode, `${operator} ${text}: ${answer.body}`).toBe(200)
        if (operator === 'eq' || operator === 'co') expect(answer.json().totalResults, text).toBe(0)
      }
  })

  test('200: every attribute of /Schemas can be used in a filter', async () => {
    for (const schema of allSchemas) {
      const place = schema.name === 'Group' ? 'Groups' : 'Users'
      for (const { name, type, subAttributes = [] } of schema.attributes)
        for (const path of [name, ...subAttributes.map((sub) => `${name}.${sub.name}`)]) {
          const isBoolean = type === 'boolean' || path.endsWith('.primary')
          const tests = isBoolean
            ? ['eq true', 'ne false']
            : ['eq "x"', 'ne "x"', 'co "x"', 'ge "x"']
          const comparable = type !== 'complex' || path !== name
          for (const one of ['pr', ...(comparable ? tests : [])]) {
            const filter = encoded(
              `not (${schema.id}:${path} ${one}) or ${schema.id}:${path} ${one}`,
            )
            const answer = await idp.get(`/${place}?filter=${filter}&count=1`)
            expect(answer.statusCode, `${path} ${one}: ${answer.body}`).toBe(200)
            // Each resource satisfies one of the two conditions.
            expect(answer.json().totalResults, `${path} ${one}`).toBeGreaterThan(0)
          }
        }
    }
  })

  test('roles and groups in the body of a user give no role', async () => {
    const { id } = await idp.user('climber@acme.test', {
      roles: [{ value: 'Owner', primary: true }],
      groups: [{ value: group }],
      platformAdmin: true,
      role: 'Owner',
    })
    await idp.put(`/Users/${id}`, {
      userName: 'climber@acme.test',
      roles: [{ value: 'Org Admin' }],
      groups: [{ value: group }],
    })
    const got = (await idp.get(`/Users/${id}`)).json()
    expect(got.roles).toEqual([{ value: 'Viewer', primary: true }])
    expect(got).not.toHaveProperty('groups')
    for (const [path, value] of [
      ['roles', [{ value: 'Owner' }]],
      ['roles[primary eq "True"].value', 'Owner'],
      ['groups', [{ value: group }]],
    ] as const) {
      const refused = await idp.patch(`/Users/${id}`, { op: 'Add', path, value })
      expect([refused.statusCode, refused.json().scimType]).toEqual([400, 'mutability'])
    }
  })

  test('400: prototype keys, duplicate keys, depth, unpaired surrogates; never 500', async () => {
    const bodies = [
      '{"userName":"a","userName":"b"}',
      '{"__proto__":{"userName":"x"}}',
      `${'['.repeat(40)}${']'.repeat(40)}`,
      '{"userName":"\\ud800"}',
      '{"userName":"a\\u0000"}',
      '[]',
      '"x"',
      'null',
      '',
      '{',
      '{"userName":{"a":1}}',
      '{"userName":"x","emails":[["a"]]}',
      '{"userName":"x","emails":[{"value":"no address"}]}',
      '{"userName":"x","schemas":"y"}',
      `{"userName":"x","emails":[${Array(101).fill('{"value":"a@b.c"}').join()}]}`,
    ]
    for (const body of bodies) {
      const answer = await idp.call('POST', '/Users', body)
      expect([answer.statusCode, answer.json().status], body.slice(0, 60)).toEqual([400, '400'])
    }
  })
})
