import type { Tenant } from '../../store/driver/tenant.ts'
import { newSecret } from '../../domain/access/credentials.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError, invalid } from '../../domain/errors.ts'
import { normalDomain } from '../../domain/saml/check-domain.ts'
import { newMessageId } from '../../domain/saml/new-message-id.ts'
import { safeTarget } from '../../domain/saml/safe-target.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { authnRequest } from '../../gateways/saml/authn-request.ts'
import { needsDomainProof } from '../../store/platform/needs-domain-proof.ts'
import { saml, type SamlOrganization } from '../../store/platform/saml.ts'
import { samlConfigurations } from '../../store/saml/saml-configurations.ts'
import { samlRequests } from '../../store/saml/saml-requests.ts'
import type { Deps } from '../deps.ts'
import { findSpKey, signedMessage, type Onward } from './signed-message.ts'

export type BegunSignIn = {
  requestId: string
  redirectUrl: string
  /** The cookie that binds the request to this browser. */
  browserCookie: string
}

export type SignInInput = { email?: string; slug?: string; returnTo?: string }

/**
 * Starts a sign-in at the organization's identity provider. An unclaimed domain, an unknown slug
 * and a disabled configuration get the same answer, so a caller cannot enumerate organizations.
 */
export async function beginSignIn(
  deps: Deps,
  { email, slug, returnTo }: SignInInput,
  origin: string,
): Promise<BegunSignIn> {
  if (email === undefined && slug === undefined)
    throw invalid('Send an email or the slug of an organization.', [
      { path: 'email', message: 'is required where there is no slug' },
    ])
  const target = returnTo === undefined ? undefined : safeTarget(returnTo, origin)
  if (returnTo !== undefined && target === undefined)
    throw invalid('returnTo: is not a path of this site', [
      { path: 'returnTo', message: 'is not a path of this site' },
    ])
  const organization = await findOrganization(deps, email, slug)
  const { organizationId } = organization ?? {}
  if (!organization || organizationId === undefined) throw noSignIn()
  return deps.store.tenant(organizationId, async (tenant) => {
    const begun = await ask(deps, tenant, { organization, origin, ...(target && { target }) })
    if (!begun) throw noSignIn()
    return begun
  })
}

/** A sign-in that only writes a trace; the configuration may still be disabled. */
export async function beginTest(deps: Deps, caller: Caller, origin: string): Promise<BegunSignIn> {
  const { organizationId, organizationSlug: slug, organizationName: name, userId } = caller
  const organization = { organizationId, slug, name, status: caller.organizationStatus }
  return deps.store.tenant(organizationId, async (tenant) => {
    const begun = await ask(deps, tenant, { organization, origin, testedBy: userId })
    if (!begun)
      throw invalid('There is nothing to test yet: save an identity provider and its certificate.')
    return begun
  })
}

async function findOrganization(
  { config, store }: Deps,
  email: string | undefined,
  slug: string | undefined,
): Promise<SamlOrganization | undefined> {
  const organizations = saml(store.platform)
  if (slug !== undefined) return organizations.bySlug(slug)
  const domain = normalDomain(email?.slice(email.lastIndexOf('@') + 1) ?? '')
  return domain === undefined
    ? undefined
    : organizations.byDomain(domain, await needsDomainProof(store.platform, config.domainProof))
}

type Question = {
  organization: SamlOrganization
  origin: string
  target?: string
  testedBy?: number
}

async function ask(
  deps: Deps,
  tenant: Tenant,
  question: Question,
): Promise<BegunSignIn | undefined> {
  const { organization, origin, target, testedBy } = question
  const configurations = samlConfigurations(tenant)
  const configuration = await configurations.find()
  if (!configuration || (await configurations.certificates()).length === 0) return undefined
  const id = newMessageId()
  const browser = newSecret()
  await samlRequests(tenant).create({
    id,
    kind: testedBy === undefined ? 'login' : 'test',
    relayState: newSecret().plain,
    browserHash: browser.hash,
    ...(target !== undefined && { target }),
    ...(testedBy !== undefined && { userId: testedBy }),
  })
  // `redirectUrl` cannot be a form, so it is the address of a page of ours with the form.
  const onward =
    configuration.ssoBinding === 'post'
      ? { location: `${origin}/api/auth/saml/login/request?id=${id}` }
      : await questionOf(deps, tenant, { id, organization, origin })
  if (!onward || !('location' in onward)) return undefined
  return { requestId: id, redirectUrl: onward.location, browserCookie: browser.plain }
}

/** The signed AuthnRequest of a stored request, in the provider's binding. */
export async function questionOf(
  deps: Deps,
  tenant: Tenant,
  { id, organization, origin }: { id: string; organization: SamlOrganization; origin: string },
): Promise<Onward | undefined> {
  const { slug } = organization
  const configuration = await samlConfigurations(tenant).find()
  const key = await findSpKey(tenant)
  const relayState = await samlRequests(tenant).relayStateOf(id)
  if (!configuration || !key || relayState === undefined) return undefined
  const { ssoUrl: destination, ssoBinding: binding } = configuration
  const xml = await authnRequest(spAddresses(origin, slug), { id, destination })
  return signedMessage(deps, key, { kind: 'SAMLRequest', xml, destination, relayState, binding })
}

const noSignIn = () =>
  new AppError('not_found', 'Single sign-on is not set up for this.', { code: 'not_found' })
