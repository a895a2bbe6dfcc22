import type { Tenant } from '../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import type { Caller } from '../../domain/access/caller.ts'
import { conflict, invalid, notFound } from '../../domain/errors.ts'
import { publicKeyOf } from '../../domain/saml/check-certificate.ts'
import { isDomainProved } from '../../gateways/dns/is-domain-proved.ts'
import { makeSpKey } from '../../gateways/saml/make-sp-key.ts'
import { actorOf, auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { organizationSettings } from '../../store/organizations/settings.ts'
import { needsDomainProof } from '../../store/platform/needs-domain-proof.ts'
import { domainClaims } from '../../store/saml/domain-claims.ts'
import {
  samlConfigurations,
  type SamlConfiguration,
  type SamlSettings,
} from '../../store/saml/saml-configurations.ts'
import { placeOfSpKey, samlSpKeys } from '../../store/saml/saml-sp-keys.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import { saversBehind } from '../../store/savers-behind.ts'
import type { Deps } from '../deps.ts'
import { mergeSettings, parseSave, type Parsed, type SamlSave } from './merge-settings.ts'

/**
 * Creates or changes the organization's identity provider. The organization's own key is generated
 * once, and before the transaction: it takes seconds of CPU.
 */
export async function saveSaml(deps: Deps, caller: Caller, input: SamlSave): Promise<void> {
  const parsed = parseSave(input)
  await ensureSpKey(deps, caller)
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const configurations = samlConfigurations(tenant)
    const before = await configurations.find()
    const settings = mergeSettings(parsed, before)
    if (before?.enabled && parsed.certificates?.length === 0)
      throw conflict(
        'saml_is_enabled',
        'The identity provider is enabled, and signs in nobody without a certificate. Disable it before you remove its certificate.',
      )
    await configurations.save(settings, {
      ...editorOf(acting),
      savedBy: await saversOf(tenant, caller, { before, parsed }),
    })
    if (parsed.certificates) await configurations.replaceCertificates(parsed.certificates)
    const { domains } = parsed
    if (domains)
      await domainClaims(tenant).replace(
        domains.map((domain) => ({ domain, proofToken: randomBytes(16).toString('hex') })),
      )
    await record(tenant, caller, { before, settings, parsed })
  })
  await proveDomains(deps, organizationId)
}

/**
 * Everybody who contributed to whom this provider can sign in: the holder of a certificate's key can
 * sign in as anybody. Once the keys of all certificates are replaced, earlier editors no longer count. A
 * certificate that was renewed over its key replaces nothing, and neither does one after there was none: it may be the
 * one from before. If an identity provider signed the caller in, who
 * configured that one may be the caller.
 */
async function saversOf(
  tenant: Tenant,
  caller: Caller,
  { before, parsed }: { before: SamlConfiguration | undefined; parsed: Parsed },
): Promise<number[]> {
  const kept = await samlConfigurations(tenant).certificates()
  const keys = parsed.certificates?.map(({ pem }) => publicKeyOf(pem))
  const isNew =
    kept.length > 0 &&
    keys !== undefined &&
    keys.length > 0 &&
    !kept.some(({ pem }) => keys.includes(publicKeyOf(pem)))
  const earlier = isNew ? [] : (before?.savedBy ?? [])
  const behind = (await saversBehind(tenant, caller)) ?? []
  return [...new Set([...earlier, ...behind, caller.userId])]
}

/** The ceiling of what the provider opens; a platform administrator is above everybody. */
const editorOf = ({ userId, role, platformAdmin }: Caller) => ({
  editedBy: userId,
  editorRole: platformAdmin ? ('Owner' as const) : role,
  editorPlatformAdmin: platformAdmin,
})

/** Enables or disables the configuration. Who enables it vouches for it, as who saves it does. */
export async function enableSaml(deps: Deps, caller: Caller, enabled: boolean): Promise<void> {
  const { organizationId } = caller
  await deps.store.tenant(organizationId, async (tenant) => {
    const acting = await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const configurations = samlConfigurations(tenant)
    const before = await configurations.find()
    if (!before) throw notFound()
    if (enabled && (await configurations.certificates()).length === 0)
      throw invalid('There is no certificate of the identity provider yet.', [
        { path: 'certificate', message: 'save one before enabling' },
      ])
    if (before.enabled === enabled) return
    // Without it everybody but the Owners would be locked out.
    if (!enabled && (await organizationSettings(tenant)).requireSso)
      throw conflict(
        'sso_is_required',
        'Single sign-on is required in this organization. Allow passwords again before disabling its identity provider.',
      )
    await configurations.setEnabled(enabled, enabled ? editorOf(acting) : undefined)
    await auditLog(tenant, actorOf(caller)).record(enabled ? 'saml.enabled' : 'saml.disabled', {
      target: { kind: 'saml', id: organizationId, label: before.idpEntityId },
    })
  })
}

/** Looks up every unproved domain in DNS, outside of any transaction, because a name server may be slow. */
export async function proveDomains(deps: Deps, organizationId: number): Promise<void> {
  if (!(await needsDomainProof(deps.store.platform, deps.config.domainProof))) return
  const claims = await deps.store.tenant(organizationId, async (tenant) =>
    domainClaims(tenant).list(),
  )
  const asked = await Promise.all(
    claims
      .filter(({ provedAt }) => provedAt === null)
      .map(async (claim) => ({
        claim,
        proved: await isDomainProved(deps.config, claim),
      })),
  )
  await deps.store.tenant(organizationId, async (tenant) => {
    for (const { claim, proved } of asked)
      if (proved !== undefined && (await domainClaims(tenant).noteProof(claim, proved)))
        await auditLog(tenant, systemActor).record('saml.domain_proved', {
          target: { kind: 'domain', id: claim.domain, label: claim.domain },
        })
  })
}

/** Keys that are being generated: concurrent saves share one. */
const making = new Map<number, Promise<{ privateKey: string; certificate: string }>>()

async function ensureSpKey(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId, organizationSlug } = caller
  const present = await deps.store.tenant(organizationId, async (tenant) =>
    samlSpKeys(tenant).certificate(),
  )
  if (present !== undefined) return
  const made = making.get(organizationId) ?? makeSpKey(`cloud-control ${organizationSlug}`)
  making.set(organizationId, made)
  try {
    const { privateKey, certificate } = await made
    const sealed = deps.keyring.seal(placeOfSpKey(organizationId), privateKey)
    await deps.store.tenant(organizationId, async (tenant) =>
      samlSpKeys(tenant).keepFirst({ privateKey: sealed, certificate }),
    )
  } finally {
    making.delete(organizationId)
  }
}

type Change = { before: SamlConfiguration | undefined; settings: SamlSettings; parsed: Parsed }

/** Audits old and new values. Certificates are public, and shown by their fingerprints. */
async function record(tenant: Tenant, caller: Caller, change: Change): Promise<void> {
  const { before, settings, parsed } = change
  const { organizationId } = caller
  const changed = Object.fromEntries(
    Object.entries(settings)
      // The keys of the settings are keys of the configuration.
      .map(([key, to]) => [key, { from: before?.[key as keyof SamlSettings] ?? null, to }] as const)
      .filter(([, { from, to }]) => from !== to),
  )
  await auditLog(tenant, actorOf(caller)).record('saml.configured', {
    target: { kind: 'saml', id: organizationId, label: settings.idpEntityId },
    detail: {
      ...changed,
      ...(parsed.certificates && {
        certificates: parsed.certificates.map(({ fingerprint }) => fingerprint),
      }),
      ...(parsed.domains && { emailDomains: parsed.domains }),
    },
  })
}
