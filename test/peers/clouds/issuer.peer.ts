import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signWebIdentity } from '../../../app/clouds/sign-web-identity.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'

// A cloud believes a token by the issuer's documents alone; so does PyJWT.
describe.skipIf(!hasPython())('PyJWT', { timeout: 120_000 }, () => {
  let harness: Harness
  let bin: string
  beforeAll(async () => {
    bin = await pythonTools('pyjwt', ['pyjwt==2.15.1', 'cryptography==50.0.2'])
    harness = await createHarness()
  })
  afterAll(async () => harness?.close())

  const verify = async (token: string, issuer: string, audience: string) =>
    runPeer(join(bin, 'python3'), [
      join(import.meta.dirname, 'verify-token.py'),
      token,
      issuer,
      audience,
    ])

  test('believes a token for its audience, and neither another audience nor a changed token', async () => {
    const { id, slug } = await harness.organization()
    const { store, keyring } = harness.deps
    const issuerOrigin = harness.config.baseUrl ?? ''
    const audience = 'api://AzureADTokenExchange'
    const accountId = 'managementGroups/platform'
    const token = await signWebIdentity({ store, keyring, issuerOrigin }, id, {
      subject: { accountId },
      audience,
    })
    const { publicId } = await store.platform('organizations').where({ id }).first('publicId')
    const issuer = `${issuerOrigin}/oidc/${publicId}`

    const believed = await verify(token, issuer, audience)
    expect(believed.code, believed.output).toBe(0)
    expect(JSON.parse(believed.output)).toMatchObject({
      iss: issuer,
      aud: audience,
      sub: `organization:${slug}:account:${accountId}`,
    })
    const elsewhere = await verify(token, issuer, 'sts.amazonaws.com')
    expect(elsewhere.output).toContain('InvalidAudienceError')
    const [head, body, signature = ''] = token.split('.')
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    const forged = await verify(`${head}.${body}.${flipped}`, issuer, audience)
    expect(forged.output).toContain('InvalidSignatureError')
  })
})
