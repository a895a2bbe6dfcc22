import { createHash, createPublicKey } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureSigningKey } from '../../../app/signing/ensure-signing-key.ts'
import { publishedSigningKeys } from '../../../app/signing/published-keys.ts'
import { Secret } from '../../../config.ts'
import { trustedKeys } from '../../../domain/signing/trusted-keys.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { createApp } from '../../../api/app.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

type Shown = { keyId: string; publicKey: string; createdAt: string; retiredAt: string | null }

describe('/api/org/signing-keys', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const list = async (user: TestUser): Promise<Shown[]> =>
    (await user.get('/api/org/signing-keys')).json().signingKeys
  const newOwner = async () => (await harness.organization()).user('Owner')

  test('200: one P-256 key, made once, whose id is the SHA-256 of its DER; the private half is sealed', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    const both = await Promise.all([list(viewer), list(viewer)])
    expect(both[0]).toEqual(both[1])
    const [key, ...others] = both[0] ?? []
    expect(others).toEqual([])
    const opened = createPublicKey(key?.publicKey ?? '')
    expect(opened.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    const der = opened.export({ type: 'spki', format: 'der' })
    expect(key?.keyId).toBe(`sha256:${createHash('sha256').update(der).digest('hex')}`)
    expect(key?.retiredAt).toBeNull()
    const [row] = await harness.deps.store
      .platform('signing_keys')
      .where({ organizationId: org.id })
    const { privateKey } = await ensureSigningKey(harness.deps, org.id)
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
    harness.secrets.note('a signing key', pkcs8.toString('base64'))
    expect(row.privateKey.includes(pkcs8)).toBe(false)
    const owner = await org.user('Owner')
    await owner.patch('/api/org/settings', { artifactDays: 7 })
    expect(await list(viewer)).toEqual([key])
  })

  test('201: a rotation retires the key, and agents that trust either learn the other', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const [first] = await list(owner)
    const answer = await owner.post('/api/org/signing-keys/rotate', {})
    expect(answer.statusCode, answer.body).toBe(201)
    const [second, retired] = answer.json().signingKeys as Shown[]
    expect(retired).toMatchObject({ keyId: first?.keyId, retiredAt: expect.any(String) })
    expect(second?.retiredAt).toBeNull()
    expect((await ensureSigningKey(harness.deps, org.id)).keyId).toBe(second?.keyId)
    const keys = await harness.deps.store.tenant(org.id, async (tenant) =>
      publishedSigningKeys(harness.deps, tenant),
    )
    expect(keys.map(({ keyId }) => keyId)).toEqual([second?.keyId, first?.keyId])
    for (const pin of [first, second])
      expect(trustedKeys({ pins: [pin?.keyId ?? ''], keys }).size).toBe(2)
    const { entries } = (await owner.get('/api/audit?limit=50')).json()
    expect(entries.map(({ event }: { event: string }) => event)).toEqual(
      expect.arrayContaining(['org.signing_key_created', 'org.signing_key_rotated']),
    )
  })

  test('409: of two rotations at once one replaces the key', async () => {
    const owner = await newOwner()
    await list(owner)
    const rotate = async () => owner.post('/api/org/signing-keys/rotate', {})
    const codes = (await Promise.all([rotate(), rotate(), rotate()])).map((one) => one.statusCode)
    const made = codes.filter((code) => code === 201).length
    expect(made).toBeGreaterThan(0)
    expect(codes.every((code) => code === 201 || code === 409)).toBe(true)
    const keys = await list(owner)
    expect(keys).toHaveLength(1 + made)
    expect(keys.filter(({ retiredAt }) => retiredAt === null)).toHaveLength(1)
  })

  test('403: neither a lower role nor a token rotates', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    expect((await deployer.post('/api/org/signing-keys/rotate', {})).statusCode).toBe(403)
    const owner = await org.user('Owner')
    const authorization = `Bearer ${await owner.token()}`
    const byToken = await harness.app.inject({
      method: 'POST',
      url: '/api/org/signing-keys/rotate',
      headers: { authorization },
      payload: {},
    })
    expect(byToken.statusCode).toBe(403)
  })

  test('a public half that was written beside the sealed key is not used', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const [key] = await list(owner)
    const stranger = await harness.organization()
    const [forged] = await list(await stranger.user('Owner'))
    const row = () =>
      harness.deps.store.platform('signing_keys').where({ organizationId: org.id, retiredAt: null })
    await row().update({ publicKey: forged?.publicKey })
    expect((await ensureSigningKey(harness.deps, org.id)).publicKey).toBe(key?.publicKey)
    await row().update({ keyId: forged?.keyId })
    await expect(ensureSigningKey(harness.deps, org.id)).rejects.toThrow('another id')
  })

  test('200: a key that was written into the table is not published, to people and agents alike', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const own = await list(owner)
    const stranger = await harness.organization()
    await list(await stranger.user('Owner'))
    const rows = harness.deps.store.platform('signing_keys')
    const [theirs] = await rows.clone().where({ organizationId: stranger.id })
    const [mine] = await rows.clone().where({ organizationId: org.id })
    const { id: _, ...key } = theirs
    const forged = { ...key, organizationId: org.id, retiredAt: new Date() }
    const endorsements = JSON.stringify(mine.endorsements)
    // With its own wrap, which is another organization's, and with a copy of ours.
    await rows.clone().insert({ ...forged, endorsements })
    expect(await list(owner)).toEqual(own)
    await rows
      .clone()
      .where({ organizationId: org.id, keyId: key.keyId })
      .update({ privateKey: mine.privateKey })
    expect(await list(owner)).toEqual(own)
    // The public half beside the right wrap is the wrap's.
    await rows
      .clone()
      .where({ organizationId: org.id, keyId: mine.keyId })
      .update({ publicKey: key.publicKey })
    expect(await list(owner)).toEqual(own)
    const published = await harness.deps.store.tenant(org.id, async (tenant) =>
      publishedSigningKeys(harness.deps, tenant),
    )
    expect(published.map(({ keyId, publicKey }) => ({ keyId, publicKey }))).toEqual(
      own.map(({ keyId, publicKey }) => ({ keyId, publicKey })),
    )
  })

  test('503: without the key of the keyring nothing is rotated, and no key is vouched for', async () => {
    const owner = await newOwner()
    await list(owner)
    const other = [{ id: 'other', key: new Secret(Buffer.alloc(32, 7).toString('base64')) }]
    const app = await createApp({ ...harness.deps, keyring: createKeyring(other) })
    try {
      const ask = async (method: 'GET' | 'POST', url: string) =>
        app.inject({
          method,
          url,
          headers: { cookie: `cc_session=${owner.cookie}`, origin: harness.config.baseUrl },
          ...(method === 'POST' && { payload: {} }),
        })
      const refused = await ask('POST', '/api/org/signing-keys/rotate')
      expect([refused.statusCode, refused.json().code]).toEqual([503, 'keyring_unavailable'])
      const listed = await ask('GET', '/api/org/signing-keys')
      expect([listed.statusCode, listed.json().code]).toEqual([503, 'keyring_unavailable'])
    } finally {
      await app.close()
    }
  })
})
