import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseXml } from '../../../domain/saml/parse-xml.ts'
import { readLogoutMessage } from '../../../domain/saml/read-logout-message.ts'
import { readRedirect, verifyRedirect } from '../../../domain/saml/redirect-binding.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  auditOf,
  byForm,
  byPost,
  byRedirect,
  isAlive,
  messageInForm,
  provider,
  requestXml,
  signedIn,
  type Provider,
  type SignedIn,
} from './logout-provider.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const bindings = { redirect: byRedirect, post: byPost, 'redirect’s fields in a form': byForm }
const queryOf = (url: string) => url.slice(url.indexOf('?') + 1)
const kind = 'SAMLRequest' as const

/**
 * The provider's view of the answer: read from the address, and verified with the service's key.
 */
function answerIn(location: string, { spKey, sloUrl }: Provider) {
  expect(location.startsWith(`${sloUrl}&SAMLResponse=`)).toBe(true)
  const read = readRedirect(queryOf(location).replace(/^tenant=1&/, ''))
  expect(verifyRedirect(read, [spKey.certificate])).toBe(spKey.certificate)
  return { ...readLogoutMessage(parseXml(read.xml), read.kind), relayState: read.relayState }
}

describe.each(Object.entries(bindings))('a logout request by %s', (_, send) => {
  test('303: ends only the session that it names, and the answer is signed', async () => {
    const idp = await provider(harness)
    const ada = await signedIn(harness, idp)
    const second = await signedIn(harness, idp, { user: ada.user })
    const { nameId, sessionIndex } = ada
    const xml = requestXml(harness, idp, { nameId, sessionIndex, id: '_asked' })
    const response = await send(harness, idp, { kind, xml, relayState: "a b'(~)" })

    expect(response.statusCode).toBe(303)
    const answer = answerIn(String(response.headers.location), idp)
    expect(answer).toMatchObject({
      kind: 'SAMLResponse',
      inResponseTo: '_asked',
      outcome: 'success',
      relayState: "a b'(~)",
      destination: idp.sloUrl,
      issuer: `${harness.config.baseUrl}/api/auth/saml/metadata?org=${idp.org.slug}`,
    })
    expect(await isAlive(harness, ada.cookie)).toBe(false)
    expect(await isAlive(harness, second.cookie)).toBe(true)
    const [entry] = await auditOf(harness, idp, 'saml.logout')
    expect(entry.detail).toMatchObject({ userIds: [ada.user.id], indexes: 1 })
  })

  test('303: several indexes end several sessions', async () => {
    const idp = await provider(harness)
    const [one, two, three] = await threeSessions(idp)
    const xml = requestXml(harness, idp, one).replace(
      '</samlp:SessionIndex>',
      `</samlp:SessionIndex><samlp:SessionIndex>${two.sessionIndex}</samlp:SessionIndex>`,
    )
    expect((await send(harness, idp, { kind, xml })).statusCode).toBe(303)
    expect(await alive([one, two, three])).toEqual([false, false, true])
  })

  test('303: without an index all sessions of the principal end, also password sessions', async () => {
    const idp = await provider(harness)
    const [one, two, three] = await threeSessions(idp)
    const other = await signedIn(harness, idp)
    const xml = requestXml(harness, idp, { nameId: one.nameId })
    expect((await send(harness, idp, { kind, xml })).statusCode).toBe(303)
    expect(await alive([one, two, three, other])).toEqual([false, false, false, true])
    expect(await isAlive(harness, one.user.cookie)).toBe(false)
  })

  test('303: an unknown name or index is answered, and no session ends', async () => {
    const idp = await provider(harness)
    const ada = await signedIn(harness, idp)
    const bob = await signedIn(harness, idp)
    for (const change of [
      { nameId: 'nobody@nowhere.example' },
      { nameId: ada.nameId, sessionIndex: 'unknown' },
      // Another person's index with the own name.
      { nameId: ada.nameId, sessionIndex: bob.sessionIndex },
    ]) {
      const response = await send(harness, idp, { kind, xml: requestXml(harness, idp, change) })
      expect(answerIn(String(response.headers.location), idp)).toMatchObject({ outcome: 'success' })
    }
    expect(await alive([ada, bob])).toEqual([true, true])
  })

  test('303: organizations share a provider: the sessions of each organization end', async () => {
    const first = await provider(harness)
    const second = await provider(harness, { issuer: first.issuer, key: first.key })
    const rival = await provider(harness, { issuer: first.issuer })
    const session = await signedIn(harness, second)
    const xml = requestXml(harness, first, session)
    const response = await send(harness, first, { kind, xml })
    const answer = answerIn(String(response.headers.location), second)
    expect(answer.issuer).toContain(`?org=${second.org.slug}`)
    expect(await isAlive(harness, session.cookie)).toBe(false)
    // The attacker has the same issuer with another key. Their message ends only sessions of their
    // own organization.
    const again = await signedIn(harness, second)
    const forged = await send(harness, rival, { kind, xml: requestXml(harness, rival, again) })
    expect(forged.statusCode).toBe(303)
    expect(await isAlive(harness, again.cookie)).toBe(true)
  })

  test('303: redirects to the response location if configured, and to /login without an endpoint', async () => {
    const elsewhere = await provider(harness, { sloResponseUrl: 'https://idp.example/done' })
    const ada = await signedIn(harness, elsewhere)
    const sent = await send(harness, elsewhere, { kind, xml: requestXml(harness, elsewhere, ada) })
    expect(sent.headers.location).toMatch(/^https:\/\/idp\.example\/done\?SAMLResponse=/)
    const nowhere = await provider(harness, { sloUrl: null })
    const bob = await signedIn(harness, nowhere)
    const home = await send(harness, nowhere, { kind, xml: requestXml(harness, nowhere, bob) })
    expect([home.statusCode, home.headers.location]).toEqual([303, '/login'])
    expect(await isAlive(harness, bob.cookie)).toBe(false)
  })

  test('200: a provider with the POST binding gets a self-submitting form, and no other script runs', async () => {
    const idp = await provider(harness, { sloBinding: 'post', sloUrl: 'https://idp.example/slo' })
    const ada = await signedIn(harness, idp)
    const relayState = `"><script>alert(1)</script>`
    const response = await send(harness, idp, {
      kind,
      xml: requestXml(harness, idp, ada),
      relayState,
    })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(response.headers['content-security-policy']).toMatch(
      /^default-src 'none'.*script-src 'sha256-[^ ]+'; form-action https:$/,
    )
    expect(response.body).toContain('action="https://idp.example/slo"')
    expect(response.body.match(/<script>/g)).toHaveLength(1)
    expect(messageInForm(response.body, idp, 'SAMLResponse')).toMatchObject({ outcome: 'success' })
  })

  test('400: a replay, also in parallel; only one request is answered', async () => {
    const idp = await provider(harness)
    const ada = await signedIn(harness, idp)
    const xml = requestXml(harness, idp, ada)
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => send(harness, idp, { kind, xml })),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      303,
      ...Array.from({ length: 9 }, () => 400),
    ])
    const entries = await auditOf(harness, idp, 'saml.logout_refused')
    expect(entries.map(({ detail }) => detail.reason)).toEqual(['replayed'])
  })
})

const threeSessions = async (idp: Provider) => {
  const one = await signedIn(harness, idp)
  const { user } = one
  return [
    one,
    await signedIn(harness, idp, { user }),
    await signedIn(harness, idp, { user }),
  ] as const
}

const alive = async (sessions: readonly SignedIn[]) =>
  Promise.all(sessions.map(async ({ cookie }) => isAlive(harness, cookie)))
