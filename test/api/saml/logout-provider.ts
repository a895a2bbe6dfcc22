import { unwrap } from '../../../store/driver/tenant.ts'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { newSecret } from '../../../domain/access/credentials.ts'
import type { Role } from '../../../domain/access/roles.ts'
import {
  signEnveloped,
  verifyEnveloped,
  type SigningKey,
} from '../../../domain/saml/enveloped-signature.ts'
import { logoutRequest, logoutResponse } from '../../../domain/saml/logout-messages.ts'
import type { LogoutOutcome } from '../../../domain/saml/logout-status.ts'
import { newMessageId } from '../../../domain/saml/new-message-id.ts'
import { readLogoutMessage } from '../../../domain/saml/read-logout-message.ts'
import { redirectUrl, type MessageKind } from '../../../domain/saml/redirect-binding.ts'
import { samlConfigurations, type SamlBinding } from '../../../store/saml/saml-configurations.ts'
import { openSamlSession } from '../../../store/saml/open-saml-session.ts'
import { placeOfSpKey, samlSpKeys } from '../../../store/saml/saml-sp-keys.ts'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

/** A bare public key, used instead of a certificate. */
export function newKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

export type Provider = {
  org: TestOrganization
  issuer: string
  key: SigningKey
  spKey: SigningKey
  sloUrl: string
}

export type ProviderOptions = {
  issuer?: string
  key?: SigningKey
  enabled?: boolean
  sloUrl?: string | null
  sloBinding?: SamlBinding
  sloResponseUrl?: string
}

/** An organization whose identity provider is played by the test. */
export async function provider(harness: Harness, options: ProviderOptions = {}): Promise<Provider> {
  const org = await harness.organization()
  const { issuer = `https://idp-${randomBytes(4).toString('hex')}.example/`, key = newKey() } =
    options
  const { enabled = true, sloUrl = 'https://idp.example/slo?tenant=1' } = options
  const { keyring, store } = harness.deps
  const spKey = newKey()
  const editor = { editedBy: null, editorRole: 'Owner' as Role } as never
  await store.tenant(org.id, async (tenant) => {
    const rows = samlConfigurations(tenant)
    await rows.save(
      {
        idpEntityId: issuer,
        ssoUrl: 'https://idp.example/sso',
        ssoBinding: 'redirect',
        sloUrl,
        sloBinding: sloUrl === null ? null : (options.sloBinding ?? 'redirect'),
        sloResponseUrl: options.sloResponseUrl ?? null,
        attrEmail: null,
        attrName: null,
        attrGroups: null,
        defaultRole: 'Viewer',
      },
      editor,
    )
    await rows.setEnabled(enabled)
    const notBefore = new Date(Date.now() - 3_600_000)
    const notAfter = new Date(Date.now() + 3_600_000)
    await rows.replaceCertificates([
      { fingerprint: randomBytes(8).toString('hex'), pem: key.certificate, notBefore, notAfter },
    ])
    await samlSpKeys(tenant).keepFirst({
      privateKey: keyring.seal(placeOfSpKey(org.id), spKey.privateKey),
      certificate: spKey.certificate,
    })
  })
  return { org, issuer, key, spKey, sloUrl: sloUrl ?? '' }
}

export type SignedIn = { user: TestUser; cookie: string; nameId: string; sessionIndex: string }

/** A session that this provider opened. */
export async function signedIn(
  { deps }: Harness,
  { org }: Provider,
  { user, sessionIndex = newMessageId() }: { user?: TestUser; sessionIndex?: string } = {},
): Promise<SignedIn> {
  const person = user ?? (await org.user('Deployer'))
  const secret = newSecret()
  await deps.store.tenant(org.id, async (tenant) =>
    openSamlSession(tenant, {
      userId: person.id,
      tokenHash: secret.hash,
      ip: '127.0.0.1',
      userAgent: 'test',
      requestId: 'test',
      detail: {},
      principal: {
        nameId: person.email,
        nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
        nameQualifier: null,
        spNameQualifier: null,
        sessionIndex,
        roleCeiling: 'Org Admin',
        idpSavedBy: [],
        notAfter: null,
      },
    }),
  )
  return { user: person, cookie: secret.plain, nameId: person.email, sessionIndex }
}

export type Sent = {
  kind: MessageKind
  xml: string
  key?: SigningKey
  relayState?: string
}

export const addressOfSlo = ({ config }: Harness) => `${config.baseUrl}/api/auth/saml/slo`

/** An unsigned logout request by the provider. */
export function requestXml(
  harness: Harness,
  { issuer }: Provider,
  change: { nameId: string; sessionIndex?: string; now?: Date; destination?: string; id?: string },
): string {
  const { nameId, sessionIndex, now = new Date(), id = newMessageId() } = change
  const destination = change.destination ?? addressOfSlo(harness)
  return logoutRequest(
    { id, issuer, destination, now },
    { nameId: { value: nameId }, sessionIndex },
  )
}

export function responseXml(
  harness: Harness,
  { issuer }: Provider,
  change: { inResponseTo: string; outcome?: LogoutOutcome; now?: Date; destination?: string },
): string {
  const { inResponseTo, outcome = 'success', now = new Date() } = change
  const destination = change.destination ?? addressOfSlo(harness)
  return logoutResponse({ id: newMessageId(), issuer, destination, now }, { inResponseTo, outcome })
}

export const byRedirect = async (harness: Harness, { key }: Provider, sent: Sent) => {
  const { kind, xml, relayState } = sent
  const url = redirectUrl(
    { kind, xml, destination: '/api/auth/saml/slo', relayState },
    (sent.key ?? key).privateKey,
  )
  return harness.app.inject({ url })
}

export const byPost = async (harness: Harness, { key }: Provider, sent: Sent) => {
  const signed = Buffer.from(signEnveloped(sent.xml, sent.key ?? key)).toString('base64')
  return postForm(harness, {
    [sent.kind]: signed,
    ...(sent.relayState !== undefined && { RelayState: sent.relayState }),
  })
}

/**
 * Deflated and signed as for the redirect binding, but sent as fields of a form, which a browser
 * encodes differently.
 */
export const byForm = async (harness: Harness, { key }: Provider, sent: Sent) => {
  const { kind, xml, relayState } = sent
  const url = redirectUrl({ kind, xml, destination: '', relayState }, (sent.key ?? key).privateKey)
  return postForm(harness, formFields(url.slice(1)))
}

/** The values of a query, as a page would write them into hidden fields. */
export const formFields = (query: string): Record<string, string> =>
  Object.fromEntries(
    query.split('&').map((part) => {
      const at = part.indexOf('=')
      return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))]
    }),
  )

export const postForm = async (harness: Harness, fields: Record<string, string> | string) =>
  harness.app.inject({
    method: 'POST',
    url: '/api/auth/saml/slo',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
  })

export const isAlive = async ({ app }: Harness, cookie: string): Promise<boolean> =>
  (await app.inject({ url: '/api/auth/me', headers: { cookie: `cc_session=${cookie}` } }))
    .statusCode === 200

/** An organization's audit entries about single sign-on, newest first. */
export async function auditOf({ deps }: Harness, { org }: Provider, event: string) {
  return deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('audit_entries')
      .where({ organizationId: org.id, event })
      .orderBy('id', 'desc'),
  )
}

/** The message in the form that the service's page submits, verified as its recipient does. */
export function messageInForm(body: string, { spKey }: Provider, name: MessageKind) {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1] ?? ''
  const xml = Buffer.from(value, 'base64').toString()
  const { root } = verifyEnveloped(xml, [spKey.certificate])
  return readLogoutMessage(root, name)
}
