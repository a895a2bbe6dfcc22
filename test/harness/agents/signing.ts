import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto'
import { endorse, type EndorsedKey } from '../../../domain/signing/endorsement.ts'
import { signOrder, type ReleaseOrder } from '../../../domain/signing/order.ts'
import { signProvenance } from '../../../domain/signing/provenance.ts'
import { keyIdOf } from '../../../domain/signing/signing-key.ts'

export type TestKey = { keyId: string; privateKey: KeyObject; publicKey: string }

export type TestOrganization = { slug: string; publicId: string; key: TestKey }

export function newKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    keyId: keyIdOf(publicKey),
    privateKey,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

export const newOrganization = (slug: string): TestOrganization => ({
  slug,
  publicId: randomUUID(),
  key: newKey(),
})

/** A key as a heartbeat offers it, signed by these. */
export const offered = (
  organization: TestOrganization,
  key: TestKey,
  signers: readonly TestKey[] = [],
): EndorsedKey => ({
  keyId: key.keyId,
  publicKey: key.publicKey,
  endorsements: signers.map((signer) =>
    endorse(
      {
        organization: organization.publicId,
        keyId: key.keyId,
        publicKey: key.publicKey,
        createdAt: '2026-01-01T00:00:00Z',
      },
      signer,
    ),
  ),
})

export const provenanceOf = (
  { digest, contentDigest }: { digest: string; contentDigest: string },
  organization: Pick<TestOrganization, 'slug' | 'publicId'>,
  key: TestKey,
) =>
  signProvenance(
    {
      organization,
      pipeline: { id: 4, name: 'web' },
      runId: 12,
      baseUrl: 'https://control.acme.example',
      repository: 'https://git.acme.example/acme/web',
      branch: 'main',
      path: '',
      commitSha: 'a'.repeat(40),
      manifestSha256: 'b'.repeat(64),
      variables: [],
      digest,
      contentDigest,
      startedAt: null,
      finishedAt: new Date('2026-01-01T00:00:00Z'),
    },
    key,
  )

/** What was signed of a claim as the service makes it. A test changes the claim, or names other parts. */
export const orderOf = (
  {
    release,
    hooks,
    timeouts,
    keep,
    env,
  }: {
    release: { digest: string; contentDigest: string; runId: number }
    hooks: Record<string, { path: string; repeatable?: boolean }>
    timeouts: Record<string, number>
    keep: number
    env: readonly { key: string; value: string; sensitive: boolean }[]
  },
  organization: Pick<TestOrganization, 'publicId'>,
  { key, ...more }: Partial<ReleaseOrder> & { key: TestKey },
) =>
  signOrder(
    {
      organization: organization.publicId,
      workspaceId: 7,
      runId: release.runId,
      digest: release.digest,
      contentDigest: release.contentDigest,
      strategy: 'blue-green',
      hooks: Object.fromEntries(
        Object.entries(hooks).map(([name, { path, repeatable = false }]) => [
          name,
          { path, timeoutSeconds: timeouts[name] ?? 300, repeatable },
        ]),
      ),
      keep,
      env: env
        .filter(({ sensitive }) => !sensitive)
        .map(({ key: name, value }) => ({ key: name, value })),
      variables: env.filter(({ sensitive }) => sensitive).map(({ key: name }) => name),
      ...more,
    },
    key,
  )
