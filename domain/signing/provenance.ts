import type { KeyObject } from 'node:crypto'
import { signEnvelope, type Envelope } from './dsse.ts'

/** What is said of an artifact, and signed. */
export type ProvenanceFacts = {
  organization: { slug: string; publicId: string }
  pipeline: { id: number; name: string }
  runId: number
  /** Address of this service, without a slash at its end. */
  baseUrl: string
  repository: string
  branch: string | null
  /** The folder of the repository that is built. */
  path: string
  commitSha: string
  /** SHA-256 in hexadecimal. */
  manifestSha256: string
  /** Names of the variables of the build. Their values are in no provenance. */
  variables: readonly string[]
  digest: string
  contentDigest: string
  startedAt: Date | null
  finishedAt: Date
}

/** A Sigstore bundle, as its own clients read it: it keeps their names. */
export type ProvenanceBundle = {
  mediaType: string
  verificationMaterial: { publicKey: { hint: string } }
  dsseEnvelope: Envelope
}

export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json'
export const inTotoType = 'application/vnd.in-toto+json'
export const statementType = 'https://in-toto.io/Statement/v1'
export const predicateType = 'https://slsa.dev/provenance/v1'
export const manifestUri = '.cloud-control/pipeline.yml'

/** Signs what is known of a build: an in-toto Statement v1 whose predicate is SLSA Provenance v1. */
export function signProvenance(
  facts: ProvenanceFacts,
  signer: { keyId: string; privateKey: KeyObject },
): ProvenanceBundle {
  const payload = Buffer.from(JSON.stringify(statementOf(facts)))
  return {
    mediaType: bundleType,
    verificationMaterial: { publicKey: { hint: signer.keyId } },
    dsseEnvelope: signEnvelope(inTotoType, payload, signer),
  }
}

const subjectOf = ({
  organization,
  pipeline,
}: Pick<ProvenanceFacts, 'organization' | 'pipeline'>): string =>
  `${organization.slug}/${pipeline.name}`

function statementOf(facts: ProvenanceFacts) {
  const { organization, pipeline, baseUrl } = facts
  return {
    _type: statementType,
    subject: [{ name: subjectOf(facts), digest: { sha256: hexOf(facts.digest) } }],
    predicateType,
    predicate: {
      buildDefinition: {
        buildType: `${baseUrl}/docs/artifacts#build-v1`,
        externalParameters: {
          repository: facts.repository,
          branch: facts.branch,
          path: facts.path,
          variables: [...facts.variables],
        },
        internalParameters: {
          organizationId: organization.publicId,
          pipelineId: pipeline.id,
          runId: facts.runId,
        },
        resolvedDependencies: [
          { uri: `git+${facts.repository}`, digest: { gitCommit: facts.commitSha } },
          { uri: manifestUri, digest: { sha256: facts.manifestSha256 } },
        ],
      },
      runDetails: {
        builder: { id: baseUrl },
        metadata: {
          invocationId: `${baseUrl}/pipelines/${pipeline.id}/runs/${facts.runId}`,
          ...(facts.startedAt && { startedOn: facts.startedAt.toISOString() }),
          finishedOn: facts.finishedAt.toISOString(),
        },
        byproducts: [{ name: 'content', digest: { sha256: hexOf(facts.contentDigest) } }],
      },
    },
  }
}

const hexOf = (digest: string): string => digest.replace(/^sha256:/, '')
