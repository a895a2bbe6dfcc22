import type { LightMyRequestResponse } from 'fastify'
import { sessionCookieOf } from '../../api/http/https.ts'
import type { Harness } from './create-harness.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type ResponseOptions,
  type SpSide,
} from './identity-provider.ts'
import type { TestOrganization } from './test-organization.ts'
import type { TestUser } from './test-user.ts'

export type SamlOrganization = {
  org: TestOrganization
  idp: IdentityProvider
  /** The Owner who saved the configuration. */
  admin: TestUser
  domain: string
  /** Starts a sign-in and returns what the provider knows of the request. */
  begin(app?: Harness['app'], body?: object): Promise<Begun>
  /** Runs one whole sign-in. */
  signIn(options?: ResponseOptions, post?: PostOptions): Promise<LightMyRequestResponse>
}

export type Begun = SpSide & { relayState: string; cookie: string; redirectUrl: string }
export type PostOptions = {
  app?: Harness['app']
  relayState?: string | null
  headers?: Record<string, string>
  browser?: 'own' | 'none'
}

/** An organization with its own enabled identity provider. */
export async function createSamlOrganization(
  harness: Harness,
  settings: Record<string, unknown> = {},
  { enabled = true, editor = 'Owner' }: { enabled?: boolean; editor?: 'Owner' | 'Org Admin' } = {},
): Promise<SamlOrganization> {
  const org = await harness.organization()
  const admin = await org.user(editor)
  const idp = await createIdentityProvider()
  const domain = `${org.slug}.test`
  const saved = await admin.post('/api/org/saml', {
    metadataXml: idp.metadata(),
    attrEmail: 'email',
    attrGroups: 'groups',
    emailDomains: [domain],
    ...settings,
  })
  if (saved.statusCode !== 200) throw new Error(`not saved: ${saved.body}`)
  if (enabled) {
    const answer = await admin.patch('/api/org/saml', { enabled: true })
    if (answer.statusCode !== 200) throw new Error(`not enabled: ${answer.body}`)
  }
  const begin: SamlOrganization['begin'] = async (app = harness.app, body = { slug: org.slug }) => {
    const answer = await app.inject({ method: 'POST', url: '/api/auth/saml/login', payload: body })
    if (answer.statusCode !== 200) throw new Error(`not begun: ${answer.body}`)
    return begunOf(harness, org.slug, answer)
  }
  return {
    org,
    idp,
    admin,
    domain,
    begin,
    async signIn(options = {}, post = {}) {
      const begun = await begin(post.app)
      return postResponse(harness, begun, idp.response(begun, options), post)
    },
  }
}

/** Enables a provider and requires single sign-on. */
export async function requireSso(admin: TestUser): Promise<void> {
  const idp = await createIdentityProvider()
  const answers = [
    await admin.post('/api/org/saml', { metadataXml: idp.metadata() }),
    await admin.patch('/api/org/saml', { enabled: true }),
    await admin.patch('/api/org/sso', { requireSso: true }),
  ]
  for (const answer of answers)
    if (answer.statusCode !== 200) throw new Error(`not required: ${answer.body}`)
}

export function begunOf(harness: Harness, slug: string, answer: LightMyRequestResponse): Begun {
  const { redirectUrl, requestId } = answer.json()
  const [cookie] = answer.cookies
  const base = harness.config.baseUrl ?? ''
  return {
    audience: `${base}/api/auth/saml/metadata?org=${slug}`,
    acsUrl: `${base}/api/auth/saml/acs`,
    requestId,
    redirectUrl,
    relayState: new URL(redirectUrl).searchParams.get('RelayState') ?? '',
    cookie: `${cookie?.name}=${cookie?.value}`,
  }
}

export async function postResponse(
  harness: Harness,
  begun: Begun,
  xml: string,
  {
    app = harness.app,
    relayState = begun.relayState,
    headers = {},
    browser = 'own',
  }: PostOptions = {},
): Promise<LightMyRequestResponse> {
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') })
  if (relayState !== null) form.set('RelayState', relayState)
  return app.inject({
    method: 'POST',
    url: '/api/auth/saml/acs',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(browser === 'own' && { cookie: begun.cookie }),
      ...headers,
    },
    payload: form.toString(),
  })
}

export const sessionOf = (answer: LightMyRequestResponse): string | undefined =>
  answer.cookies.find(({ name }) => /^(__Host-)?cc_session$/.test(name))?.value

/** The user of a session, from `GET /api/auth/me`. */
export async function meOf(harness: Harness, answer: LightMyRequestResponse) {
  const cookie = `${sessionCookieOf(harness.config)}=${sessionOf(answer)}`
  return (await harness.app.inject({ url: '/api/auth/me', headers: { cookie } })).json()
}
