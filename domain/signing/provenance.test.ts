import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signEnvelope, verifyEnvelope } from './dsse.ts'
import { endorse, type EndorsedKey } from './endorsement.ts'
import { signProvenance, type ProvenanceFacts } from './provenance.ts'
import { keyIdOf, openPublicKey } from './signing-key.ts'
import { trustedKeys } from './trusted-keys.ts'
import { verifyProvenance } from './verify-provenance.ts'

const organization = '7a5b6a8e-1111-4222-8333-444455556666'

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keyId = keyIdOf(publicKey)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { keyId, privateKey, publicKey, pem }
}
type Key = ReturnType<typeof newKey>

const facts: ProvenanceFacts = {
  organization: { slug: 'acme', publicId: organization },
  pipeline: { id: 4, name: 'web' },
  runId: 12,
  baseUrl: 'https://control.acme.example',
  repository: 'https://git.acme.example/acme/web',
  branch: 'main',
  path: '',
  commitSha: 'a'.repeat(40),
  manifestSha256: 'b'.repeat(64),
  variables: ['NPM_TOKEN'],
  digest: `sha256:${'c'.repeat(64)}`,
  contentDigest: `sha256:${'d'.repeat(64)}`,
  startedAt: new Date('2026-01-01T00:00:00Z'),
  finishedAt: new Date('2026-01-01T00:01:00Z'),
}
const { digest } = facts

const offered = (key: Key, endorsements: EndorsedKey['endorsements'] = []): EndorsedKey => ({
  keyId: key.keyId,
  publicKey: key.pem,
  endorsements,
})
const by = (signer: Key, of: Key, org = organization) =>
  endorse(
    { organization: org, keyId: of.keyId, publicKey: of.pem, createdAt: '2026-01-01T00:00:00Z' },
    signer,
  )

describe('provenance', () => {
  const key = newKey()
  const keys = new Map([[key.keyId, key.publicKey]])

  test('what was signed verifies, and says who built it', () => {
    const bundle = signProvenance(facts, key)
    expect(verifyProvenance({ bundle, keys, digest, organization: 'acme' })).toEqual({
      subject: 'acme/web',
      runId: 12,
      organization,
      contentDigest: facts.contentDigest,
      manifestSha256: facts.manifestSha256,
    })
    expect(bundle.verificationMaterial.publicKey.hint).toBe(key.keyId)
    expect(JSON.stringify(bundle)).not.toContain('PRIVATE')
  })

  test('other bytes, another organization, another key and another type are refused', () => {
    const bundle = signProvenance(facts, key)
    const refused = (changed: Partial<Parameters<typeof verifyProvenance>[0]>) => () =>
      verifyProvenance({ bundle, keys, digest, ...changed })
    expect(refused({ digest: `sha256:${'e'.repeat(64)}` })).toThrow('of other bytes')
    expect(refused({ organization: 'acm' })).toThrow('another organization')
    const other = newKey()
    expect(refused({ keys: new Map([[other.keyId, other.publicKey]]) })).toThrow('not signed')
    expect(refused({ keys: new Map() })).toThrow('not signed')
    expect(refused({ bundle: null })).toThrow('no Sigstore bundle')
    const foreign = signEnvelope('text/plain', Buffer.from('{}'), key)
    expect(refused({ bundle: { ...bundle, dsseEnvelope: foreign } })).toThrow('no in-toto')
    // A signature of one type is none of another.
    const relabeled = { ...foreign, payloadType: 'application/vnd.in-toto+json' }
    expect(refused({ bundle: { ...bundle, dsseEnvelope: relabeled } })).toThrow('not signed')
  })

  test('no changed byte of an envelope verifies', () => {
    const { dsseEnvelope } = signProvenance(facts, key)
    const text = JSON.stringify(dsseEnvelope)
    let refused = 0
    for (let at = text.indexOf('"payload"'); at < text.length; at += 7) {
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
      let envelope: unknown
      try {
        envelope = JSON.parse(changed)
      } catch {
        continue
      }
      const payload = verifyEnvelope(envelope, key.publicKey)
      // The key id alone may change: it is not signed, and decides nothing.
      if (payload) expect(payload.toString('base64')).toBe(dsseEnvelope.payload)
      else refused += 1
    }
    expect(refused).toBeGreaterThan(100)
  })

  test('sign and verify take at most 5 ms each', () => {
    const rounds = 200
    const begun = performance.now()
    const bundles = Array.from({ length: rounds }, () => signProvenance(facts, key))
    const signed = performance.now()
    for (const bundle of bundles) verifyProvenance({ bundle, keys, digest })
    const verified = performance.now()
    expect((signed - begun) / rounds).toBeLessThan(5)
    expect((verified - signed) / rounds).toBeLessThan(5)
  })
})

describe('trusted keys', () => {
  const [first, second, third] = [newKey(), newKey(), newKey()]
  const chain = [
    offered(third, [by(second, third)]),
    offered(second, [by(first, second), by(third, second)]),
    offered(first, [by(second, first)]),
  ]
  const ids = (pins: string[], keys: EndorsedKey[]) => [...trustedKeys({ pins, keys }).keys()]

  test('a pin trusts later and earlier keys by their endorsements', () => {
    for (const pin of [first, second, third])
      expect(ids([pin.keyId], chain).toSorted()).toEqual(
        [first.keyId, second.keyId, third.keyId].toSorted(),
      )
  })

  test('a key that nobody trusted has endorsed is not trusted, whatever it calls itself', () => {
    const thief = newKey()
    const named = { ...offered(thief, [by(thief, thief)]), keyId: first.keyId }
    expect(ids([first.keyId], [named])).toEqual([])
    expect(ids([first.keyId], [...chain, named])).not.toContain(thief.keyId)
    // An endorsement of one key shown with another.
    const moved = offered(thief, [by(first, second)])
    expect(ids([first.keyId], [moved, offered(first)])).toEqual([first.keyId])
  })

  test('keys of one organization: an endorsement for another one is ignored', () => {
    const other = newKey()
    const keys = [...chain, offered(other, [by(first, other, 'another')])]
    expect(ids([first.keyId], keys)).not.toContain(other.keyId)
  })

  test('only P-256: another curve, RSA and no key are nothing', () => {
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
    for (const pem of [curve.export({ type: 'spki', format: 'pem' }).toString(), 'x', null])
      expect(openPublicKey(pem)).toBeUndefined()
    expect(ids(['x'], [{ keyId: 'x', publicKey: 'x', endorsements: [] }])).toEqual([])
  })
})
