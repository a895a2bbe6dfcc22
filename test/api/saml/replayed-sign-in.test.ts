import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { newXmlId, type ResponseOptions } from '../../harness/identity-provider.ts'
import { processesOf } from '../../harness/processes.ts'
import {
  createSamlOrganization,
  postResponse,
  sessionOf,
  type SamlOrganization,
} from '../../harness/saml-organization.ts'
import { createSecondApp } from '../../harness/second-app.ts'
import { expectRefused } from './expect-refused.ts'

let harness: Harness
let saml: SamlOrganization
beforeAll(async () => {
  harness = await createHarness()
  saml = await createSamlOrganization(harness)
})
afterAll(async () => harness.close())

const minutes = (n: number) => new Date(Date.now() + n * 60_000)
const mallory = () => `mallory@${saml.domain}`
const good = (): ResponseOptions => ({ nameId: mallory(), attributes: { email: mallory() } })
const sessionCount = async () => {
  const rows = await harness.deps.store
    .platform('sessions')
    .where({ organizationId: saml.org.id, kind: 'saml' })
    .count('id as n')
  return Number(rows[0]?.['n'])
}

describe('replay', () => {
  test('fifty concurrent copies of one response to two processes open one session', async () => {
    const second = await createSecondApp(harness)
    try {
      const begun = await saml.begin()
      const xml = saml.idp.response(begun, good())
      const before = await sessionCount()
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, n) =>
          postResponse(harness, begun, xml, { app: n % 2 ? second.app : harness.app }),
        ),
      )
      const signedIn = answers.filter((answer) => sessionOf(answer) !== undefined)
      expect(signedIn).toHaveLength(1)
      expect(await sessionCount()).toBe(before + 1)
      for (const answer of answers) if (!sessionOf(answer)) expectRefused(answer)
    } finally {
      await second.close()
    }
  })

  test('a used response to a process that started later', async () => {
    const begun = await saml.begin()
    const xml = saml.idp.response(begun, good())
    expect((await postResponse(harness, begun, xml)).statusCode).toBe(303)
    const second = await createSecondApp(harness)
    try {
      expectRefused(await postResponse(harness, begun, xml, { app: second.app }))
    } finally {
      await second.close()
    }
  })

  test('one assertion in the responses to two requests', async () => {
    const id = newXmlId()
    const [first, second] = [await saml.begin(), await saml.begin()]
    expect(
      (await postResponse(harness, first, saml.idp.response(first, { ...good(), id }))).statusCode,
    ).toBe(303)
    // Signed again for the other request, with the identifier of the consumed assertion.
    expectRefused(await postResponse(harness, second, saml.idp.response(second, { ...good(), id })))
  })

  test('a response to no request, to another kind of request, and after the request expired', async () => {
    const begun = await saml.begin()
    const unsolicited = { ...begun, requestId: `_${'c'.repeat(40)}` }
    expectRefused(await postResponse(harness, begun, saml.idp.response(unsolicited, good())))
    expectRefused(
      await postResponse(
        harness,
        begun,
        saml.idp.response(begun, { ...good(), responseInResponseTo: null }),
      ),
    )
    const requests = harness.deps.store.platform('saml_requests').where({ id: begun.requestId })
    await requests.clone().update({ kind: 'logout' })
    expectRefused(await postResponse(harness, begun, saml.idp.response(begun, good())))
    await requests.clone().update({ kind: 'login', expiresAt: minutes(-1) })
    expectRefused(await postResponse(harness, begun, saml.idp.response(begun, good())))
  })
})

test('the cause is in the audit log and the trace, and not in the answer; no log contains values', async () => {
  const own = await createSamlOrganization(harness)
  const begun = await own.begin()
  const secret = 'value-of-an-attribute-that-nobody-mapped'
  const attributes = { email: `a@${own.domain}`, favouriteColour: secret }
  await postResponse(
    harness,
    begun,
    own.idp.response(begun, { attributes, audience: 'https://x.test' }),
  )
  await postResponse(harness, begun, own.idp.response(begun, { attributes }))
  const { traces } = (await own.admin.get('/api/org/saml/traces')).json()
  expect(traces).toMatchObject([
    { outcome: 'success', step: 'signed_in', kind: 'login' },
    {
      outcome: 'failure',
      step: 'verify',
      cause: 'audience',
      detail: {
        audiences: ['https://x.test'],
        attributes: [{ name: 'email' }, { name: 'favouriteColour', values: 1 }],
      },
    },
  ])
  const { entries } = (await own.admin.get('/api/audit?event=saml.login_failed')).json()
  expect(entries).toMatchObject([{ outcome: 'denied', detail: { reason: 'audience' } }])
  expect(JSON.stringify(traces) + JSON.stringify(entries) + harness.logged()).not.toContain(secret)
})

test('the newest fifty attempts of each organization are kept', async () => {
  const own = await createSamlOrganization(harness)
  for (let n = 0; n < 55; n += 1) await own.signIn({ sign: 'none' })
  const { traces } = (await own.admin.get('/api/org/saml/traces')).json()
  expect(traces).toHaveLength(50)
  const { traces: theirs } = (
    await (await createSamlOrganization(harness)).admin.get('/api/org/saml/traces')
  ).json()
  expect(theirs).toHaveLength(0)
  // Many refusals write one audit entry a minute.
  const { entries } = (await own.admin.get('/api/audit?event=saml.login_failed')).json()
  expect(entries.length).toBeLessThan(4)
})

test('303: a sign-in that started in one process ends in the next, after a restart', async () => {
  const processes = await processesOf(harness)
  const begun = await saml.begin()
  const first = await processes.startApi()
  await first.kill()
  const api = await processes.startApi()
  try {
    const form = new URLSearchParams({
      SAMLResponse: Buffer.from(
        saml.idp.response(
          {
            ...begun,
            acsUrl: `${processes.apiUrl}/api/auth/saml/acs`,
            audience: begun.audience.replace(harness.config.baseUrl ?? '', processes.apiUrl),
          },
          good(),
        ),
      ).toString('base64'),
    })
    const send = async () =>
      fetch(`${processes.apiUrl}/api/auth/saml/acs`, {
        method: 'POST',
        body: form,
        redirect: 'manual',
      })
    const answer = await send()
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringContaining('cc_session='),
    ])
    await api.kill()
    await processes.startApi()
    expect((await send()).status).toBe(400)
  } finally {
    await processes.close()
  }
})

test('login CSRF: a browser that did not start the sign-in is refused, the one that did is accepted', async () => {
  const browser = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const other = await saml.begin()
  const cases: Array<[Record<string, string>, 'own' | 'none', boolean]> = [
    [browser, 'own', true],
    [browser, 'none', false],
    [{}, 'none', true],
  ]
  for (const [headers, which, allowed] of cases) {
    const answer = await saml.signIn(good(), { headers, browser: which })
    expect(answer.headers.location).toBe(allowed ? '/' : '/login?sso=failed')
    expect(Boolean(sessionOf(answer))).toBe(allowed)
  }
  const begun = await saml.begin()
  const [name] = begun.cookie.split('=')
  const cookie = `${name}=${other.cookie.split('=')[1]}`
  const xml = saml.idp.response(begun, good())
  const answer = await postResponse(harness, begun, xml, { browser: 'none', headers: { cookie } })
  expect(answer.headers.location).toBe('/login?sso=failed')
  // With two tabs, the cookie of one does not replace the other's.
  const both = `${begun.cookie}; ${other.cookie}`
  const kept = await postResponse(harness, other, saml.idp.response(other, good()), {
    browser: 'none',
    headers: { ...browser, cookie: both },
  })
  expect(kept.headers.location).toBe('/')
})
