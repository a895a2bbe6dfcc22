import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signEnveloped } from '../../../domain/saml/enveloped-signature.ts'
import { logoutRequest, logoutResponse } from '../../../domain/saml/logout-messages.ts'
import { newMessageId } from '../../../domain/saml/new-message-id.ts'
import { spAddresses } from '../../../domain/saml/sp-addresses.ts'
import { spMetadata } from '../../../domain/saml/sp-metadata.ts'
import { authnRequest } from '../../../gateways/saml/authn-request.ts'
import { hasPython, pythonTools } from '../python-tools.ts'
import { runPeer } from '../run-peer.ts'
import { newCertificate } from './https-front.ts'

const script = join(import.meta.dirname, 'check-schemas.py')

// Identity providers that validate refuse what is in another order than the schema has.
describe.skipIf(!hasPython())('all that is sent is as the schemas of SAML 2.0 have it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-saml-schemas-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let bin: string
  beforeAll(async () => {
    // Of the package only its schemas are of use, and they need none of what it depends on.
    bin = await pythonTools('saml-schemas', ['--no-deps', 'lxml==6.1.3', 'python3-saml==1.16.0'])
  })

  async function faultsOf(schema: 'metadata' | 'protocol', documents: Record<string, string>) {
    const pairs = Object.entries(documents).flatMap(([name, xml]) => {
      const path = join(folder, `${name}.xml`)
      writeFileSync(path, xml)
      return [schema, path]
    })
    return (await runPeer(join(bin, 'python'), [script, ...pairs])).output
  }

  const { key: privateKey, certificate } = newCertificate('sp')
  const addresses = spAddresses('https://control.example', 'a-b')

  test('metadata, with a key and without', async () => {
    const whole = spMetadata(addresses, certificate)
    expect(await faultsOf('metadata', { whole, bare: spMetadata(addresses) })).toBe('')
    // Which says that the schema is asked at all.
    const moved = whole.replace(/(<md:NameIDFormat>.*<\/md:NameIDFormat>)(.*)(<\/md:SP)/s, '$2$1$3')
    expect(await faultsOf('metadata', { moved })).toContain('moved.xml')
  })

  test('requests and answers, plain and signed', async () => {
    const destination = 'https://idp.example/saml?a=1&b=2'
    const envelope = {
      id: newMessageId(),
      issuer: addresses.entityId,
      destination,
      now: new Date(),
    }
    const nameId = { value: 'a & b', format: 'urn:f', nameQualifier: 'n', spNameQualifier: 's' }
    const answers = (['success', 'partial'] as const).map((outcome) => [
      `answer-${outcome}`,
      logoutResponse(envelope, { inResponseTo: newMessageId(), outcome }),
    ])
    const plain: Record<string, string> = {
      question: await authnRequest(addresses, { id: newMessageId(), destination }),
      logout: logoutRequest(envelope, { nameId, sessionIndex: 's' }),
      'logout-of-all': logoutRequest(envelope, { nameId: { value: 'a' } }),
      ...Object.fromEntries(answers),
    }
    const signed = Object.entries(plain).map(([name, xml]) => [
      `${name}-signed`,
      signEnveloped(xml, { privateKey, certificate }),
    ])
    expect(await faultsOf('protocol', { ...plain, ...Object.fromEntries(signed) })).toBe('')
  })
})
