import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseXml } from '../../../domain/saml/parse-xml.ts'
import { readLogoutMessage } from '../../../domain/saml/read-logout-message.ts'
import { readRedirect, verifyRedirect } from '../../../domain/saml/redirect-binding.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  addressOfSlo,
  auditOf,
  byForm,
  byPost,
  byRedirect,
  isAlive,
  messageInForm,
  newKey,
  provider,
  responseXml,
  signedIn,
  type Provider,
} from './logout-provider.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const bindings = { redirect: byRedirect, post: byPost, form: byForm }
const queryOf = (url: string) => url.slice(url.indexOf('?') + 1)

describe('POST /api/auth/logout of a SAML session', () => {
  const logOut = async (cookie: string) =>
    harness.app.inject({
      method: 'POST',
      url: '/api/auth/logout',
      headers: { cookie: `cc_session=${cookie}`, origin: harness.config.baseUrl },
    })

  async function asked(idp: Provider) {
    const ada = await signedIn(harness, idp)
    const response = await logOut(ada.cookie)
    const { redirectUrl } = response.json()
    const query = queryOf(redirectUrl).replace(/^tenant=1&/, '')
    const read = readRedirect(query)
    return { ada, redirectUrl, read, message: readLogoutMessage(parseXml(read.xml), read.kind) }
  }

  test('200: the session ends, and redirectUrl is a signed request to its provider', async () => {
    const idp = await provider(harness)
    const { ada, redirectUrl, read, message } = await asked(idp)
    expect(redirectUrl.startsWith(`${idp.sloUrl}&SAMLRequest=`)).toBe(true)
    expect(verifyRedirect(read, [idp.spKey.certificate])).toBe(idp.spKey.certificate)
    expect(message).toMatchObject({
      kind: 'SAMLRequest',
      destination: idp.sloUrl,
      nameId: { value: ada.nameId, format: expect.stringContaining('emailAddress') },
      sessionIndexes: [ada.sessionIndex],
    })
    expect(await isAlive(harness, ada.cookie)).toBe(false)
  })

  test('200: redirectUrl is null for a password session, without an endpoint, and for a disabled provider', async () => {
    const idp = await provider(harness)
    const off = await provider(harness, { enabled: false })
    const nowhere = await provider(harness, { sloUrl: null })
    for (const cookie of [
      (await idp.org.user('Viewer')).cookie,
      (await signedIn(harness, off)).cookie,
      (await signedIn(harness, nowhere)).cookie,
    ]) {
      expect((await logOut(cookie)).json()).toEqual({ ok: true, redirectUrl: null })
      expect(await isAlive(harness, cookie)).toBe(false)
    }
  })

  test('200: a provider with only the POST binding gets a form through a page of the service', async () => {
    const idp = await provider(harness, { sloBinding: 'post', sloUrl: 'https://idp.example/slo' })
    const ada = await signedIn(harness, idp)
    const { redirectUrl } = (await logOut(ada.cookie)).json()
    expect(redirectUrl).toMatch(/\/api\/auth\/saml\/slo\/request\?state=[\w-]{43}$/)
    const { pathname, search } = new URL(redirectUrl)
    const page = await harness.app.inject({ url: pathname + search })
    const message = messageInForm(page.body, idp, 'SAMLRequest')
    expect(message).toMatchObject({ sessionIndexes: [ada.sessionIndex] })
    const xml = responseXml(harness, idp, { inResponseTo: message.id })
    const back = await byPost(harness, idp, { kind: 'SAMLResponse', xml })
    expect(back.headers.location).toBe('/login?signedout=1')
    const reloaded = await harness.app.inject({ url: pathname + search })
    expect([reloaded.statusCode, reloaded.headers.location]).toEqual([303, '/login'])
    const late = await harness.app.inject({ url: `${pathname}?state=${'x'.repeat(43)}` })
    expect(late.statusCode).toBe(400)
  })

  test.each([
    ['success', '1', 'saml.logout_completed'],
    ['partial', 'partial', 'saml.logout_partial'],
    ['failed', 'failed', 'saml.logout_failed'],
  ] as const)(
    '303: the answer %s lands on signedout=%s, once, by both bindings and as a form',
    async (outcome, word, event) => {
      const idp = await provider(harness)
      for (const send of Object.values(bindings)) {
        const { message } = await asked(idp)
        const xml = responseXml(harness, idp, { inResponseTo: message.id, outcome })
        const first = await send(harness, idp, { kind: 'SAMLResponse', xml })
        expect([first.statusCode, first.headers.location]).toEqual([
          303,
          `/login?signedout=${word}`,
        ])
        const again = responseXml(harness, idp, { inResponseTo: message.id })
        expect((await send(harness, idp, { kind: 'SAMLResponse', xml: again })).statusCode).toBe(
          400,
        )
      }
      expect(await auditOf(harness, idp, event)).toHaveLength(3)
    },
  )

  test('400: a response by another organization’s provider, by another issuer, or to another address', async () => {
    const idp = await provider(harness)
    const other = await provider(harness)
    const { message } = await asked(idp)
    const inResponseTo = message.id
    const answers = [
      byRedirect(harness, other, {
        kind: 'SAMLResponse',
        xml: responseXml(harness, other, { inResponseTo }),
      }),
      byRedirect(harness, idp, {
        kind: 'SAMLResponse',
        xml: responseXml(harness, other, { inResponseTo }),
      }),
      byRedirect(harness, idp, {
        kind: 'SAMLResponse',
        xml: responseXml(harness, idp, { inResponseTo, destination: `${addressOfSlo(harness)}/` }),
      }),
      byRedirect(harness, idp, {
        kind: 'SAMLResponse',
        key: newKey(),
        xml: responseXml(harness, idp, { inResponseTo }),
      }),
      byPost(harness, idp, {
        kind: 'SAMLResponse',
        xml: responseXml(harness, idp, { inResponseTo, now: new Date(Date.now() - 600_000) }),
      }),
    ]
    for (const answer of answers) expect((await answer).statusCode).toBe(400)
    // None of the refused responses has consumed the request.
    const good = responseXml(harness, idp, { inResponseTo })
    const taken = await byRedirect(harness, idp, { kind: 'SAMLResponse', xml: good })
    expect(taken.headers.location).toBe('/login?signedout=1')
    const reasons = (await auditOf(harness, idp, 'saml.logout_refused')).map(
      ({ detail }) => detail.reason,
    )
    expect(new Set(reasons)).toEqual(
      new Set(['destination', 'issuer', 'signature_invalid', 'stale']),
    )
  })
})

test('the request is small enough for the limits of common decoders', async () => {
  const idp = await provider(harness)
  const ada = await signedIn(harness, idp)
  const { redirectUrl } = (
    await ada.user.post('/api/auth/logout', undefined, {
      headers: { cookie: `cc_session=${ada.cookie}` },
    })
  ).json()
  const value = new URL(redirectUrl).searchParams.get('SAMLRequest') ?? ''
  expect(inflateRawSync(Buffer.from(value, 'base64')).toString()).toContain('<samlp:LogoutRequest')
})
