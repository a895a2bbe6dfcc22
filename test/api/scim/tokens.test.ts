import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenKind } from '../../../domain/access/credentials.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const url = '/api/org/scim'
const asIdp = async (token: string) =>
  harness.app.inject({
    url: '/api/scim/v2/Users',
    headers: { authorization: `Bearer ${token}` },
  })

describe('/api/org/scim', () => {
  test('201, then 200: a token is shown once, listed without its value, and valid until it is revoked', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const made = await admin.post(url, { name: 'okta' })
    expect(made.statusCode).toBe(201)
    const { id, token } = made.json()
    expect(made.json()).toEqual({
      ok: true,
      id,
      token,
      scimBaseUrl: `${harness.config.baseUrl}/api/scim/v2`,
    })
    expect(tokenKind(token)).toBe('scim')
    expect((await asIdp(token)).statusCode).toBe(200)

    const list = await admin.get(url)
    expect(list.body).not.toContain(token)
    expect(list.json().tokens).toEqual([
      {
        id,
        name: 'okta',
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        createdBy: admin.email,
      },
    ])
    expect((await admin.get('/api/org/sso')).json().scim.tokens).toHaveLength(1)
    expect((await admin.delete(`${url}/${id}`)).json()).toEqual({ ok: true })
    const revoked = await asIdp(token)
    expect([revoked.statusCode, revoked.json().status]).toEqual([401, '401'])
    expect((await admin.delete(`${url}/${id}`)).statusCode).toBe(404)
    const events = (await admin.get('/api/audit'))
      .json()
      .entries.map(({ event }: { event: string }) => event)
    expect(events).toEqual(expect.arrayContaining(['scim.token_created', 'scim.token_revoked']))
    expect(harness.logged()).not.toContain(token)
  })

  test('409: eight concurrent requests create five tokens', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => admin.post(url, { name: `t${at}` })),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 201, 201, 409, 409, 409,
    ])
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json().code).toBe('token_limit')
  })

  test('400: a person who was deactivated does not come back by the token that they made', async () => {
    const org = await harness.organization()
    const admin = await org.user('Org Admin')
    const owner = await org.user('Owner')
    const { token } = (await admin.post(url, { name: 'mine' })).json()
    const scim = async (method: 'GET' | 'PATCH', path: string, payload?: object) =>
      harness.app.inject({
        method,
        url: `/api/scim/v2${path}`,
        headers: {
          authorization: `Bearer ${String(token)}`,
          'content-type': 'application/scim+json',
        },
        ...(payload && { payload: JSON.stringify(payload) }),
      })
    const filter = encodeURIComponent(`userName eq "${admin.email}"`)
    const [{ id }] = (await scim('GET', `/Users?filter=${filter}`)).json().Resources
    await owner.patch(`/api/org/users/${admin.id}`, { active: false })
    const back = await scim('PATCH', `/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: true }],
    })
    expect([back.statusCode, back.json().scimType]).toEqual([400, 'mutability'])
    expect((await scim('GET', `/Users/${id}`)).json().active).toBe(false)
  })

  test('400, 403, 404: no name; a lower role; an API token; another organization’s token', async () => {
    const [org, other] = [await harness.organization(), await harness.organization()]
    const admin = await org.user('Org Admin')
    for (const body of [{}, { name: '' }, { name: 'a\nb' }, { name: 'x', role: 'Owner' }])
      expect((await admin.post(url, body)).statusCode).toBe(400)
    const lesser = await org.user('SRE · Cloud Admin')
    for (const refused of [
      await lesser.get(url),
      await lesser.post(url, { name: 'x' }),
      await lesser.get(`${url}/log`),
    ])
      expect(refused.statusCode).toBe(403)
    const headers = { authorization: `Bearer ${await admin.token()}` }
    expect((await harness.app.inject({ url, headers })).json().code).toBe('session_required')
    const { id } = (await admin.post(url, { name: 'x' })).json()
    const stranger = await other.user('Owner')
    expect((await stranger.delete(`${url}/${id}`)).statusCode).toBe(404)
  })
})
