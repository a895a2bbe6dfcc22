import { generateKeyPairSync, sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { signEnveloped, verifyEnveloped, type SigningKey } from './enveloped-signature.ts'
import { judgeLogoutMessage } from './judge-logout-message.ts'
import { logoutRequest, logoutResponse } from './logout-messages.ts'
import { parseXml } from './parse-xml.ts'
import { readLogoutMessage } from './read-logout-message.ts'
import { readRedirect, redirectUrl, verifyRedirect } from './redirect-binding.ts'
import { SamlRefusal } from './saml-refusal.ts'
import { namespaces } from './xml-elements.ts'

const sloUrl = 'https://sp.example/api/auth/saml/slo'
const now = new Date('2026-11-21T12:00:00.000Z')
const envelope = { id: '_one', issuer: 'https://idp.example', destination: sloUrl, now }
const nameId = { value: `o'neil & <sons>@acme.example`, format: 'urn:f', spNameQualifier: 'q"' }

const reasonOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof SamlRefusal) return error.reason
    throw error
  }
  return 'taken'
}

/** A bare public key does where a certificate is asked for. */
function newKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

const key = newKey()
const other = newKey()

const queryOf = (url: string) => url.slice(url.indexOf('?') + 1)
const request = (sessionIndex?: string) => logoutRequest(envelope, { nameId, sessionIndex })

describe('messages', () => {
  test('a request says what it was given, whatever characters that has', () => {
    const read = readLogoutMessage(parseXml(request('s&1')), 'SAMLRequest')
    expect(read).toMatchObject({
      id: '_one',
      issuer: 'https://idp.example',
      destination: sloUrl,
      issuedAt: now,
      nameId: { ...nameId, nameQualifier: null },
      sessionIndexes: ['s&1'],
      expiresAt: undefined,
    })
  })

  test.each(['success', 'partial', 'failed'] as const)('a response says %s', (outcome) => {
    const xml = logoutResponse(envelope, { inResponseTo: '_r', outcome })
    expect(readLogoutMessage(parseXml(xml), 'SAMLResponse')).toMatchObject({
      inResponseTo: '_r',
      outcome,
    })
  })

  test('PartialLogout below Success, at whatever depth or place, is no success', () => {
    const code = (name: string, below = '') =>
      `<p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${name}">${below}</p:StatusCode>`
    const outcomeOf = (codes: string) => {
      const xml = logoutResponse(envelope, { inResponseTo: '_r', outcome: 'success' }).replace(
        /<samlp:Status>.*<\/samlp:Status>/,
        `<p:Status xmlns:p="${namespaces.protocol}">${codes}</p:Status>`,
      )
      const read = readLogoutMessage(parseXml(xml), 'SAMLResponse')
      return read.kind === 'SAMLResponse' && read.outcome
    }
    expect(outcomeOf(code('Success'))).toBe('success')
    expect(outcomeOf(code('Success', code('PartialLogout')))).toBe('partial')
    expect(outcomeOf(code('Success', code('Other', code('PartialLogout'))))).toBe('partial')
    expect(outcomeOf(code('Responder', code('PartialLogout')))).toBe('partial')
    expect(outcomeOf(code('PartialLogout'))).toBe('partial')
    expect(outcomeOf(code('Requester', code('Success')))).toBe('failed')
    expect(reasonOf(() => outcomeOf(''))).toBe('status_missing')
    expect(reasonOf(() => outcomeOf(code('Success') + code('Success')))).toBe(
      'xml_repeated_element',
    )
  })

  test.each([
    ['message_type', (xml: string) => xml.replaceAll('LogoutRequest', 'AuthnRequest')],
    ['version', (xml: string) => xml.replace('"2.0"', '"1.1"')],
    ['id_malformed', (xml: string) => xml.replace(' ID="_one"', '')],
    ['issuer_malformed', (xml: string) => xml.replace(/<saml:Issuer>.*<\/saml:Issuer>/, '')],
    ['issue_instant_malformed', (xml: string) => xml.replace('.000Z', '+02:00')],
    ['name_id_missing', (xml: string) => xml.replaceAll('saml:NameID', 'saml:EncryptedID')],
    ['xml_not_text', (xml: string) => xml.replace(/(<saml:NameID[^>]*>)/, '$1<x/>')],
    ['xml_repeated_element', (xml: string) => xml.replace(/(<saml:NameID.*NameID>)/, '$1$1')],
  ])('%s is refused', (reason, spoil) => {
    expect(reasonOf(() => readLogoutMessage(parseXml(spoil(request())), 'SAMLRequest'))).toBe(
      reason,
    )
  })

  test('is for us and valid at this time', () => {
    const judge = (change: { destination?: string; at?: number; end?: string }) =>
      reasonOf(() => {
        let xml = logoutRequest(
          { ...envelope, destination: change.destination ?? sloUrl },
          { nameId },
        )
        if (change.end) xml = xml.replace(' Version', ` NotOnOrAfter="${change.end}" Version`)
        const at = new Date(now.getTime() + (change.at ?? 0) * 60_000)
        judgeLogoutMessage(readLogoutMessage(parseXml(xml), 'SAMLRequest'), { sloUrl, now: at })
      })
    expect(judge({})).toBe('taken')
    expect(judge({ at: 5.9 })).toBe('taken')
    expect(judge({ at: -5.9 })).toBe('taken')
    expect(judge({ at: 6.1 })).toBe('stale')
    expect(judge({ at: -6.1 })).toBe('stale')
    expect(judge({ end: '2026-11-21T11:58:59Z' })).toBe('expired')
    expect(judge({ end: '2026-11-21T11:59:30Z' })).toBe('taken')
    expect(judge({ destination: `${sloUrl}?org=x` })).toBe('destination')
    expect(judge({ destination: '' })).toBe('destination')
  })
})

describe('the Redirect binding', () => {
  const sent = (relayState?: string) =>
    queryOf(
      redirectUrl(
        { kind: 'SAMLRequest', xml: request(), destination: sloUrl, relayState },
        key.privateKey,
      ),
    )

  test('what was signed is what is verified, with every character in RelayState', () => {
    for (const relayState of [undefined, '', 'token', ` !'()~*+/=&%é"<>#?`]) {
      const message = readRedirect(sent(relayState))
      expect(message.relayState).toBe(relayState)
      expect(message.xml).toBe(request())
      expect(verifyRedirect(message, [other.certificate, key.certificate])).toBe(key.certificate)
      expect(verifyRedirect(message, [other.certificate])).toBeUndefined()
    }
  })

  test('a browser that follows it changes nothing', () => {
    const url = redirectUrl(
      { kind: 'SAMLRequest', xml: request(), destination: sloUrl, relayState: ` !'()~*+"<>` },
      key.privateKey,
    )
    expect(new URL(url).href).toBe(url)
  })

  test('the octets as they came are verified: another encoder’s are as good as ours', () => {
    const xml = encodeURIComponent(deflateRawSync(request()).toString('base64')).replace(
      /%[0-9A-F]{2}/g,
      (code) => code.toLowerCase(),
    )
    const text = `SAMLRequest=${xml}&RelayState=a+b&SigAlg=http%3a%2f%2fwww.w3.org%2f2001%2f04%2fxmldsig-more%23rsa-sha256`
    const signature = sign('sha256', Buffer.from(text), key.privateKey).toString('base64')
    // Any order, unknown fields between, and a signature whose + was left as it is.
    const [message = '', ...rest] = text.split('&')
    const query = `x=1&Signature=${signature}&${rest.join('&')}&${message}`
    const read = readRedirect(query)
    expect(read.relayState).toBe('a b')
    expect(verifyRedirect(read, [key.certificate])).toBe(key.certificate)
  })

  test.each([
    ['parameter_repeated', (query: string) => `${query}&SAMLRequest=x`],
    ['parameter_repeated', (query: string) => `RelayState=x&RelayState=y&${query}`],
    ['parameter_encoded', (query: string) => `SAML%52equest=x&${query}`],
    ['parameter_encoded', (query: string) => query.replace('SAMLRequest', 'SAMLReques%74')],
    ['parameter_encoded', (query: string) => `${query}&%53igAlg=x`],
    ['parameter_encoded', (query: string) => `${query}&+SAMLRequest=x`],
    ['parameter_malformed', (query: string) => `${query}&%ZZ=1`],
    ['two_messages', (query: string) => `${query}&SAMLResponse=x`],
    ['no_message', () => 'RelayState=x'],
    ['no_message', () => ''],
    ['signature_missing', (query: string) => query.replace(/&Signature=.*/, '')],
    ['signature_missing', (query: string) => query.replace(/&Signature=.*/, '&Signature=')],
    ['signature_missing', (query: string) => query.replace(/&SigAlg=[^&]*/, '')],
    ['message_too_large', (query: string) => query.replace(/&/, `${'A'.repeat(16_384)}&`)],
    ['signature_algorithm', (query: string) => query.replace('rsa-sha256', 'rsa-sha1')],
    ['signature_algorithm', (query: string) => query.replace('rsa-sha256', 'rsa-md5')],
    ['signature_algorithm', (query: string) => query.replace('rsa-sha256', 'RSA-SHA256')],
    ['bad_base64', (query: string) => query.replace('SAMLRequest=', 'SAMLRequest=%20')],
    ['encoding_unknown', (query: string) => `${query}&SAMLEncoding=gzip`],
    ['inflate_failed', (query: string) => query.replace(/SAMLRequest=[^&]*/, 'SAMLRequest=aGVs')],
  ])('%s is refused', (reason, spoil) => {
    expect(reasonOf(() => readRedirect(spoil(sent('state'))))).toBe(reason)
  })

  test('a bomb is stopped at 64 KiB', () => {
    const bomb = deflateRawSync(Buffer.alloc(10_000_000)).toString('base64')
    const query = sent().replace(/SAMLRequest=[^&]*/, `SAMLRequest=${encodeURIComponent(bomb)}`)
    const from = performance.now()
    expect(reasonOf(() => readRedirect(query))).toBe('inflate_failed')
    expect(performance.now() - from).toBeLessThan(500)
  })

  test('a key that is not RSA verifies nothing', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const message = readRedirect(sent())
    const signature = sign('sha256', Buffer.from(message.signedTexts[0] ?? ''), privateKey)
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(verifyRedirect({ ...message, signature }, [pem])).toBeUndefined()
  })
})

describe('the POST binding', () => {
  const signed = () => signEnveloped(request('s1'), key)

  test('what is read is what was signed', () => {
    const { root, certificate } = verifyEnveloped(signed(), [other.certificate, key.certificate])
    expect(certificate).toBe(key.certificate)
    const read = readLogoutMessage(root, 'SAMLRequest')
    expect(read).toMatchObject({ nameId: { value: nameId.value }, sessionIndexes: ['s1'] })
  })

  const wrap = (xml: string) =>
    xml.replace(/^<samlp:LogoutRequest([^>]*)ID="_one"/, '<samlp:LogoutRequest$1ID="_evil"')

  test.each([
    ['signature_missing', () => request()],
    ['signature_invalid', () => signEnveloped(request(), other)],
    ['signature_digest', (xml: string) => xml.replace('>s1<', '>s2<')],
    ['signature_reference', (xml: string) => wrap(xml)],
    ['signature_reference', (xml: string) => wrapped(xml)],
    [
      'signature_structure',
      (xml: string) =>
        xml
          .replace('</samlp:Log', `${signatureOf(xml)}</samlp:Log`)
          .replace(signatureOf(xml), `<x>${signatureOf(xml)}</x>`),
    ],
    ['signature_algorithm', (xml: string) => xml.replace('rsa-sha256', 'rsa-sha1')],
    ['signature_algorithm', (xml: string) => xml.replace('xmlenc#sha256', 'xmldsig#sha1')],
    [
      'signature_algorithm',
      (xml: string) => xml.replace('xml-exc-c14n#"', 'xml-exc-c14n#WithComments"'),
    ],
    ['signature_transforms', (xml: string) => xml.replace('#enveloped-signature', '#base64')],
    ['signature_reference', (xml: string) => xml.replace('URI="#_one"', 'URI=""')],
    [
      'signature_structure',
      (xml: string) => xml.replace('</ds:Signature>', '<ds:Object/></ds:Signature>'),
    ],
    ['signature_structure', (xml: string) => xml.replace(/(<ds:Reference.*Reference>)/, '$1$1')],
  ])('%s is refused', (reason, spoil) => {
    expect(reasonOf(() => verifyEnveloped(spoil(signed()), [key.certificate]))).toBe(reason)
  })

  const signatureOf = (xml: string) => /<ds:Signature.*<\/ds:Signature>/.exec(xml)?.[0] ?? ''

  /** The signed message goes into an extension of a forged one that takes its signature. */
  function wrapped(xml: string): string {
    const evil = wrap(request('victim')).replace(
      '</saml:Issuer>',
      `</saml:Issuer>${signatureOf(xml)}`,
    )
    const inner = `<samlp:Extensions>${xml}</samlp:Extensions>`
    return evil.replace('<saml:NameID', `${inner}<saml:NameID`)
  }
})
