import type { Static } from 'typebox'
import { rank, type Role } from '../../domain/access/roles.ts'
import { AppError, invalid, type ErrorDetail } from '../../domain/errors.ts'
import {
  CertificateFault,
  checkCertificates,
  type CheckedCertificate,
} from '../../domain/saml/check-certificate.ts'
import { faultOfDomain, normalDomain } from '../../domain/saml/check-domain.ts'
import { faultOfEndpoint, faultOfEntityId } from '../../domain/saml/check-endpoint.ts'
import { MetadataFault, readMetadata, type IdpMetadata } from '../../domain/saml/read-metadata.ts'
import type { SamlConfiguration, SamlSettings } from '../../store/saml/saml-configurations.ts'
import type { SamlInput } from './schemas.ts'

export type SamlSave = Static<typeof SamlInput>

export type Parsed = {
  input: SamlSave
  metadata: IdpMetadata | undefined
  /** Undefined: keeps the stored ones. Empty: clears them. */
  certificates: CheckedCertificate[] | undefined
  /** Undefined: keeps the claimed ones. */
  domains: string[] | undefined
}

/** Checks a save without the stored configuration, and reports every fault at once. */
export function parseSave(input: SamlSave): Parsed {
  const faults: ErrorDetail[] = []
  const note = (path: string, message: string | undefined) =>
    void (message !== undefined && faults.push({ path, message }))

  if (!input.metadataXml && !input.idpEntityId)
    note('idpEntityId', 'is required where no metadataXml is sent')
  const metadata = attempt(
    () => readOptional(input.metadataXml, readMetadata),
    (message) => note('metadataXml', message),
  )
  if (metadata) {
    note('metadataXml', prefixed('entityID', faultOfEntityId(metadata.idpEntityId)))
    note('metadataXml', prefixed('SingleSignOnService', faultOfEndpoint(metadata.sso.url)))
    if (metadata.slo) {
      note('metadataXml', prefixed('SingleLogoutService', faultOfEndpoint(metadata.slo.url)))
      const { responseUrl } = metadata.slo
      if (responseUrl !== null)
        note('metadataXml', prefixed('ResponseLocation', faultOfEndpoint(responseUrl)))
    }
  }
  if (input.idpEntityId) note('idpEntityId', faultOfEntityId(input.idpEntityId.trim()))
  if (input.ssoUrl) note('ssoUrl', faultOfEndpoint(input.ssoUrl))
  if (input.sloUrl) note('sloUrl', faultOfEndpoint(input.sloUrl))
  const given = attempt(
    () => readOptional(input.certificate, checkCertificates),
    (message) => note('certificate', message),
  )
  if (input.emailDomains)
    input.emailDomains.forEach((domain, at) => note(`emailDomains.${at}`, faultOfDomain(domain)))
  assertMappable(input.defaultRole)
  if (faults.length > 0) throw refuse(faults)
  return {
    input,
    metadata,
    certificates: given ?? metadata?.certificates ?? (input.certificate === null ? [] : undefined),
    domains:
      input.emailDomains === undefined
        ? undefined
        : [...new Set((input.emailDomains ?? []).map((domain) => normalDomain(domain) ?? ''))],
  }
}

/** The stored settings, overridden by those that were sent. */
export function mergeSettings(
  { input, metadata }: Parsed,
  before: SamlConfiguration | undefined,
): SamlSettings {
  const kept = input.ssoUrl === null ? undefined : before?.ssoUrl
  const ssoUrl = input.ssoUrl ?? metadata?.sso.url ?? kept
  if (ssoUrl === undefined) throw refuse([{ path: 'ssoUrl', message: 'is required' }])
  const idpEntityId = input.idpEntityId ?? metadata?.idpEntityId ?? before?.idpEntityId ?? ''
  return {
    idpEntityId: idpEntityId.trim(),
    ssoUrl,
    ssoBinding: input.ssoUrl
      ? 'redirect'
      : (metadata?.sso.binding ?? before?.ssoBinding ?? 'redirect'),
    ...mergeLogout(input, metadata, before),
    attrEmail: keep(input.attrEmail, before?.attrEmail),
    attrName: keep(input.attrName, before?.attrName),
    attrGroups: keep(input.attrGroups, before?.attrGroups),
    defaultRole:
      input.defaultRole === undefined
        ? (before?.defaultRole ?? 'Viewer')
        : (input.defaultRole ?? 'Viewer'),
  }
}

type Logout = Pick<SamlSettings, 'sloUrl' | 'sloBinding' | 'sloResponseUrl'>

function mergeLogout(
  { sloUrl }: SamlSave,
  metadata: IdpMetadata | undefined,
  before: SamlConfiguration | undefined,
): Logout {
  if (sloUrl === null || sloUrl === '')
    return { sloUrl: null, sloBinding: null, sloResponseUrl: null }
  if (sloUrl !== undefined) return { sloUrl, sloBinding: 'redirect', sloResponseUrl: null }
  // Metadata is complete: a provider without a logout address has none.
  if (metadata)
    return {
      sloUrl: metadata.slo?.url ?? null,
      sloBinding: metadata.slo?.binding ?? null,
      sloResponseUrl: metadata.slo?.responseUrl ?? null,
    }
  return {
    sloUrl: before?.sloUrl ?? null,
    sloBinding: before?.sloBinding ?? null,
    sloResponseUrl: before?.sloResponseUrl ?? null,
  }
}

/** A blank text clears the field, as null does. */
const keep = (sent: string | null | undefined, before: string | null | undefined): string | null =>
  sent === undefined ? (before ?? null) : sent?.trim() || null

function assertMappable(role: Role | null | undefined): void {
  if (!role || rank(role) <= rank('Org Admin')) return
  throw invalid(
    `defaultRole: an identity provider cannot give ${role}.`,
    [{ path: 'defaultRole', message: 'at most Org Admin' }],
    'role_not_mappable',
  )
}

function attempt<T>(read: () => T, note: (message: string) => void): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CertificateFault || error instanceof MetadataFault)) throw error
    note(error.message)
    return undefined
  }
}

const readOptional = <T>(
  text: string | null | undefined,
  read: (text: string) => T,
): T | undefined => (typeof text === 'string' ? read(text) : undefined)

const prefixed = (name: string, fault: string | undefined): string | undefined =>
  fault === undefined ? undefined : `its ${name} ${fault}`

function refuse(faults: ErrorDetail[]): AppError {
  const [first] = faults
  return invalid(
    first ? `${first.path}: ${first.message}` : 'Invalid request',
    faults,
    'validation_failed',
  )
}
