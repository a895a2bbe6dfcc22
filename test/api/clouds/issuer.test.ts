import { createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { allowInsecureRequests, discovery } from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signWebIdentity } from '../../../app/clouds/sign-web-identity.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { rotateIssuerKeysTask } from '../../../worker/tasks/rotate-issuer-keys.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

const audience = 'sts.amazonaws.com'
const accountId = '123456789012'

describe('the issuer of an organization', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const origin = () => harness.config.baseUrl ?? ''
  const publicIdOf = async ({ id }: TestOrganization): Promise<string> =>
    (await harness.deps.store.platform('organizations').where({ id }).first('publicId')).publicId
  const issuerOf = async (org: TestOrganization) => `${origin()}/oidc/${await publicIdOf(org)}`
  const sign = async ({ id: organizationId }: TestOrganization) => {
    const { store, keyring } = harness.deps
    const deps = { store, keyring, issuerOrigin: origin() }
    return signWebIdentity(deps, organizationId, { subject: { accountId }, audience })
  }
  const keysOf = async (org: TestOrganization): Promise<Array<{ kid: string }>> =>
    (await harness.app.inject({ url: `/oidc/${await publicIdOf(org)}/jwks.json` })).json().keys
  const kidOf = (token: string) => decodeProtectedHeader(token).kid
  const rotate = async () => rotateIssuerKeysTask(harness.deps).run()
  /** As if this much more time had passed. */
  const age = async (org: TestOrganization, time: string) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)
      await db('issuer_keys').update({ signsFrom: db.raw('signs_from - ?::interval', [time]) })
    })

  test('400: an unknown query parameter', async () => {
    const place = `/oidc/${await publicIdOf(await harness.organization())}`
    for (const document of ['.well-known/openid-configuration', 'jwks.json'])
      expect((await harness.app.inject({ url: `${place}/${document}?x=1` })).statusCode).toBe(400)
  })

  test('200: a client that nobody here wrote finds the keys and believes a token', async () => {
    const org = await harness.organization()
    const issuer = await issuerOf(org)
    const token = await sign(org)
    const found = await discovery(new URL(issuer), audience, undefined, undefined, {
      execute: [allowInsecureRequests],
    })
    const { jwks_uri: address = '', ...metadata } = found.serverMetadata()
    expect(metadata).toMatchObject({
      issuer,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    })
    const keys = createRemoteJWKSet(new URL(address))
    const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer, audience })
    expect(protectedHeader.alg).toBe('RS256')
    expect(payload).toMatchObject({
      sub: `organization:${org.slug}:account:${accountId}`,
      org_id: String(org.id),
    })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600)

    const other = await harness.organization()
    await sign(other)
    const theirs = createRemoteJWKSet(new URL(`${await issuerOf(other)}/jwks.json`))
    await expect(jwtVerify(token, theirs)).rejects.toThrow(errors.JWKSNoMatchingKey)
  })

  test('404: an unknown organization, its id in another spelling, its slug, and other addresses', async () => {
    const org = await harness.organization()
    const publicId = await publicIdOf(org)
    const bad = [
      crypto.randomUUID(),
      publicId.toUpperCase(),
      org.slug,
      String(org.id),
      `${publicId}x`,
    ]
    for (const name of bad)
      for (const document of ['.well-known/openid-configuration', 'jwks.json']) {
        const answer = await harness.app.inject({ url: `/oidc/${name}/${document}` })
        expect([answer.statusCode, answer.json()], name).toEqual([
          404,
          { error: 'Not found', code: 'not_found' },
        ])
      }
    const own = await harness.app.inject({ url: `/oidc/${publicId}/jwks.json` })
    expect([own.json(), own.headers['cache-control']]).toEqual([
      { keys: [] },
      'public, max-age=300',
    ])
  })

  test('the next key is published a day before it signs, the last one is kept a day after', async () => {
    const org = await harness.organization()
    const first = kidOf(await sign(org))
    await rotate()
    expect(await keysOf(org)).toHaveLength(1)

    await age(org, '89 days')
    await rotate()
    await rotate()
    const [old, next] = await keysOf(org)
    expect([old?.kid, (await keysOf(org)).length]).toEqual([first, 2])
    expect(kidOf(await sign(org))).toBe(first)

    await age(org, '25 hours')
    await rotate()
    const second = await sign(org)
    expect(kidOf(second)).toBe(next?.kid)
    expect(await keysOf(org)).toHaveLength(2)
    await age(org, '24 hours')
    await rotate()
    expect(await keysOf(org)).toMatchObject([{ kid: next?.kid }])
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('audit_entries').where({ event: 'cloud.issuer_key_rotated' }).orderBy('id'),
    )
    expect(entries.map(({ detail }) => detail)).toEqual([
      { published: 1, removed: 0 },
      { published: 0, removed: 1 },
    ])
  })

  test('a key that is published late signs a day late, and the old one signs on meanwhile', async () => {
    const org = await harness.organization()
    const first = kidOf(await sign(org))
    await age(org, '120 days')
    await rotate()
    expect(await keysOf(org)).toHaveLength(2)
    expect(kidOf(await sign(org))).toBe(first)
    await age(org, '23 hours')
    expect(kidOf(await sign(org))).toBe(first)
    await age(org, '2 hours')
    expect(kidOf(await sign(org))).not.toBe(first)
  })

  test('of many first tokens at once all are signed with one key, which stands sealed in its table', async () => {
    const org = await harness.organization()
    const tokens = await Promise.all(Array.from({ length: 8 }, async () => sign(org)))
    expect(new Set(tokens.map(kidOf)).size).toBe(1)
    const rows = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('issuer_keys'),
    )
    expect(rows).toHaveLength(1)
    // PKCS #8 of an RSA key names the algorithm: 1.2.840.113549.1.1.1.
    const rsa = Buffer.from('2a864886f70d010101', 'hex')
    expect(rows[0].privateKey.includes(rsa)).toBe(false)
  })
})
