import type { Tenant } from '../../store/driver/tenant.ts'
import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { certificateState } from '../../domain/saml/certificate-state.ts'
import { proofRecord } from '../../domain/saml/domain-proof.ts'
import { spAddresses } from '../../domain/saml/sp-addresses.ts'
import { needsDomainProof } from '../../store/platform/needs-domain-proof.ts'
import { domainClaims } from '../../store/saml/domain-claims.ts'
import { samlConfigurations } from '../../store/saml/saml-configurations.ts'
import { samlSpKeys } from '../../store/saml/saml-sp-keys.ts'
import type { Deps } from '../deps.ts'
import type { SamlBody } from './schemas.ts'

export type SamlPlace = {
  organizationId: number
  slug: string
  origin: string
  domainProofRequired: boolean
}

/** Read before the transaction: whether domains need proof depends on all organizations. */
export async function placeOfSaml(
  { store, config }: Pick<Deps, 'store' | 'config'>,
  { organizationId, organizationSlug: slug }: Caller,
  origin: string,
): Promise<SamlPlace> {
  const domainProofRequired = await needsDomainProof(store.platform, config.domainProof)
  return { organizationId, slug, origin, domainProofRequired }
}

type Shown = Static<typeof SamlBody>

/** The configuration as it is shown: certificates by their fingerprints, and the public half of the key. */
export async function readSaml(
  tenant: Tenant,
  { slug, origin, domainProofRequired }: SamlPlace,
): Promise<Shown | null> {
  const configurations = samlConfigurations(tenant)
  const found = await configurations.find()
  if (!found) return null
  const now = new Date()
  const certificates = (await configurations.certificates()).map(
    ({ fingerprint, notBefore, notAfter }) => ({
      fingerprint,
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      state: certificateState({ notBefore, notAfter }, now),
    }),
  )
  const spCertificate = (await samlSpKeys(tenant).certificate()) ?? null
  const claims = await domainClaims(tenant).list()
  const domains = claims.map(({ domain, proofToken, provedAt, checkedAt }) => ({
    domain,
    proved: provedAt !== null,
    checkedAt: checkedAt?.toISOString() ?? null,
    record: proofRecord(domain, proofToken),
  }))
  const { idpEntityId, ssoUrl, sloUrl, defaultRole, enabled } = found
  const { attrEmail, attrName, attrGroups } = found
  const { acsUrl, sloUrl: spSloUrl, metadataUrl } = spAddresses(origin, slug)
  return {
    idpEntityId,
    ssoUrl,
    sloUrl,
    certificateSet: certificates.length > 0,
    certificates,
    defaultRole,
    emailDomains: domains.map(({ domain }) => domain),
    domains,
    domainProofRequired,
    attrEmail,
    attrName,
    attrGroups,
    enabled,
    signsInUpTo: (await configurations.powerOfEditor())?.role ?? 'Org Admin',
    acsUrl,
    spSloUrl,
    spMetadataUrl: metadataUrl,
    spCertificate,
    sloReady: sloUrl !== null && spCertificate !== null && certificates.length > 0,
    warnings: [
      ...certificateWarnings(certificates),
      ...domains
        .filter(({ proved }) => domainProofRequired && !proved)
        .map(({ domain }) => ({
          code: 'domain_not_proved',
          message: `Addresses of ${domain} are not sent to this identity provider until its DNS record is there.`,
        })),
    ],
  }
}

function certificateWarnings(certificates: Shown['certificates']): Shown['warnings'] {
  if (certificates.length === 0)
    return [
      {
        code: 'certificate_missing',
        message: 'Nobody can sign in without a certificate of the identity provider.',
      },
    ]
  return certificates
    .filter(({ state }) => state !== 'valid')
    .map(({ fingerprint, notBefore, notAfter, state }) => ({
      code: `certificate_${state}`,
      message: `The certificate ${fingerprint.slice(0, 16)}… ${
        state === 'not_yet_valid'
          ? `is valid from ${notBefore.slice(0, 10)} only`
          : `${state === 'expired' ? 'expired' : 'expires'} on ${notAfter.slice(0, 10)}: save the next one beside it`
      }.`,
    }))
}
