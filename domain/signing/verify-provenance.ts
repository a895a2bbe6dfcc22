import type { KeyObject } from 'node:crypto'
import { verifyEnvelope } from './dsse.ts'
import { bundleType, inTotoType, manifestUri, predicateType, statementType } from './provenance.ts'

export type VerifiedProvenance = {
  /** `<organization slug>/<pipeline name>`. */
  subject: string
  /** The run that built it. */
  runId: number
  /** The organization's public id. */
  organization: string
  contentDigest: string
  /** SHA-256 of the manifest that it was built by, in hexadecimal. */
  manifestSha256: string
}

/**
 * Verifies that the bytes of this digest were built by an organization whose key is trusted. Throws the
 * reason. Whoever unpacks an artifact calls this first, with the digest of the bytes that it has read itself.
 */
export function verifyProvenance({
  bundle,
  keys,
  digest,
  organization,
}: {
  bundle: unknown
  /** Of `trustedKeys`. */
  keys: ReadonlyMap<string, KeyObject>
  digest: string
  /** The organization's slug, where it is known. */
  organization?: string
}): VerifiedProvenance {
  const { mediaType, dsseEnvelope } = recordOf(bundle)
  if (mediaType !== bundleType) throw new Error('the provenance is no Sigstore bundle v0.3')
  if (recordOf(dsseEnvelope)['payloadType'] !== inTotoType)
    throw new Error('the provenance is no in-toto statement')
  let payload: Buffer | undefined
  for (const key of keys.values()) payload ??= verifyEnvelope(dsseEnvelope, key)
  if (!payload) throw new Error('the provenance is not signed by a key that is trusted')

  const statement = recordOf(JSON.parse(payload.toString()))
  if (statement['_type'] !== statementType || statement['predicateType'] !== predicateType)
    throw new Error('the provenance is no SLSA Provenance v1')
  const subjects = statement['subject']
  const [only] = Array.isArray(subjects) && subjects.length === 1 ? subjects : []
  const subject = recordOf(only)
  if (`sha256:${textOf(recordOf(subject['digest'])['sha256'])}` !== digest)
    throw new Error('the provenance is of other bytes')
  const name = textOf(subject['name'])
  if (organization !== undefined && !name.startsWith(`${organization}/`))
    throw new Error('the provenance is of another organization')
  return { subject: name, ...builtBy(recordOf(statement['predicate'])) }
}

function builtBy(predicate: Record<string, unknown>): Omit<VerifiedProvenance, 'subject'> {
  const definition = recordOf(predicate['buildDefinition'])
  const inner = recordOf(definition['internalParameters'])
  const { runId } = inner
  const dependencies = definition['resolvedDependencies']
  const manifest = (Array.isArray(dependencies) ? dependencies : [])
    .map(recordOf)
    .find(({ uri }) => uri === manifestUri)
  const byproducts = recordOf(predicate['runDetails'])['byproducts']
  const [content] = Array.isArray(byproducts) ? byproducts : []
  if (!Number.isSafeInteger(runId)) throw new Error('the provenance names no run')
  return {
    // Just checked.
    runId: runId as number,
    organization: textOf(inner['organizationId']),
    contentDigest: `sha256:${textOf(recordOf(recordOf(content)['digest'])['sha256'])}`,
    manifestSha256: textOf(recordOf(manifest?.['digest'])['sha256']),
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('the provenance lacks a text')
  return value
}
