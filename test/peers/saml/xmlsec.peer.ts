import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { signEnveloped } from '../../../domain/saml/enveloped-signature.ts'
import { logoutRequest, logoutResponse } from '../../../domain/saml/logout-messages.ts'
import { runPeer } from '../run-peer.ts'
import { newCertificate } from './https-front.ts'

function hasXmlsec(): boolean {
  try {
    execFileSync('xmlsec1', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    console.log('skipped: install xmlsec1 (Debian)')
    return false
  }
}

// Another library's opinion of what we sign by POST: identity providers are many, and strict.
describe.skipIf(!hasXmlsec())('xmlsec1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-xmlsec-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const { key: privateKey, certificate } = newCertificate('sp')
  const envelope = {
    id: '_one',
    issuer: 'https://sp.example/metadata?org=a&b',
    destination: 'https://idp.example/slo?a=1&b=2',
    now: new Date(),
  }

  async function verify(xml: string, name: string): Promise<number | null> {
    const [pem, message] = [join(folder, 'key.pem'), join(folder, 'message.xml')]
    writeFileSync(pem, certificate)
    writeFileSync(message, xml)
    const id = `urn:oasis:names:tc:SAML:2.0:protocol:${name}`
    const args = ['--verify', '--pubkey-cert-pem', pem, '--id-attr:ID', id, message]
    return (await runPeer('xmlsec1', args)).code
  }

  test('verifies our requests and responses, and not what was changed in them', async () => {
    const nameId = { value: `o'neil & <sons>\r\n\t"é"`, format: 'urn:f', spNameQualifier: `q'"&` }
    const request = signEnveloped(logoutRequest(envelope, { nameId, sessionIndex: 's' }), {
      privateKey,
      certificate,
    })
    expect(await verify(request, 'LogoutRequest')).toBe(0)
    expect(await verify(request.replace('>s<', '>t<'), 'LogoutRequest')).not.toBe(0)
    const answer = logoutResponse(envelope, { inResponseTo: '_r', outcome: 'partial' })
    const response = signEnveloped(answer, { privateKey, certificate })
    expect(await verify(response, 'LogoutResponse')).toBe(0)
  })
})
