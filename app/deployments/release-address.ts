import { maxId } from '../../domain/max-id.ts'
import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../gateways/keyring/keyring.ts'

/** The run of an application whose artifact it leads to. */
export type AddressedRelease = { organizationId: number; runId: number; digest: string }

/** The variable that has the address. Who has its value can fetch the artifact, so logs and plans mask it. */
export const releaseUrlVariable = 'cc_release_url'

/** How long the address works, counted from the beginning of the plan and again of the apply. */
export const releaseAddressMinutes = 15

/** An address of an artifact that works without a sign-in. It is of these bytes alone. */
export const releaseAddress = (
  { keyring, publicOrigin }: { keyring: Keyring; publicOrigin: string },
  release: AddressedRelease,
): string =>
  `${publicOrigin}/api/releases/${release.organizationId}.${release.runId}.${macOf(keyring, release).toString('base64url')}`

/** What the last part of an address says it is of, before that is proved. Undefined for any other text. */
export function readReleaseToken(
  token: string,
): { organizationId: number; runId: number; mac: Buffer } | undefined {
  const [, organizationId, runId, mac] =
    /^([1-9]\d{0,9})\.([1-9]\d{0,9})\.([\w-]{43})$/.exec(token) ?? []
  if (organizationId === undefined || runId === undefined || mac === undefined) return undefined
  const ids = { organizationId: Number(organizationId), runId: Number(runId) }
  if (Math.max(ids.organizationId, ids.runId) > maxId) return undefined
  return { ...ids, mac: Buffer.from(mac, 'base64url') }
}

/** Compares in constant time, so that a caller cannot guess the code byte by byte. */
export function isReleaseToken(keyring: Keyring, release: AddressedRelease, mac: Buffer): boolean {
  const own = macOf(keyring, release)
  return own.length === mac.length && timingSafeEqual(own, mac)
}

const macOf = (keyring: Keyring, { organizationId, runId, digest }: AddressedRelease): Buffer =>
  keyring.mac('release-address', JSON.stringify([organizationId, runId, digest]))
