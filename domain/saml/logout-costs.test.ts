import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { verifyEnveloped } from './enveloped-signature.ts'
import { logoutRequest } from './logout-messages.ts'
import { exclusiveC14n } from './plain-signature.ts'
import { receiveLogoutMessage } from './receive-logout-message.ts'
import { SamlRefusal } from './saml-refusal.ts'

const now = new Date('2026-11-21T12:00:00.000Z')
const destination = 'https://sp.example/api/auth/saml/slo'
const envelope = { id: '_one', issuer: 'https://idp.example', destination, now }
const nameId = { value: 'ada@acme.example', format: 'urn:f' }
const request = logoutRequest(envelope, { nameId, sessionIndex: 's' })

const extended = (inner: string) =>
  request.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${inner}</samlp:Extensions>`)
const form = (xml: string) =>
  `SAMLRequest=${encodeURIComponent(Buffer.from(xml).toString('base64'))}`
const query = (xml: string) =>
  `SAMLRequest=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}`
const byForm = (xml: string) => () => receiveLogoutMessage('POST', form(xml))
const byAddress = (xml: string) => () => receiveLogoutMessage('GET', query(xml))

const reasonOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof SamlRefusal) return error.reason
    throw error
  }
  return 'taken'
}

/** Elements of 60 attributes each. */
const attributes = `<x ${Array.from({ length: 60 }, (_, n) => `a${n}=""`).join(' ')}/>`

describe('what anybody may send before a signature is verified', () => {
  test('a thousand session indexes are taken, by either binding', () => {
    const index = /<samlp:SessionIndex>.*<\/samlp:SessionIndex>/
    const indexes = Array.from(
      { length: 1_000 },
      (_, n) => `<samlp:SessionIndex>_${n}</samlp:SessionIndex>`,
    )
    const xml = request.replace(index, indexes.join(''))
    for (const { claimed } of [byForm(xml)(), byAddress(xml)()])
      expect(claimed.kind === 'SAMLRequest' && claimed.sessionIndexes).toHaveLength(1_000)
  })

  test.each<[string, () => unknown]>([
    ['message_too_large', byForm(extended('x'.repeat(64 * 1024)))],
    ['message_too_large', byForm(extended('<x/>'.repeat(19_000)))],
    ['message_too_large', byForm(extended(attributes.repeat(800)))],
    ['xml_too_many_elements', byForm(extended('<x/>'.repeat(1_500)))],
    ['xml_too_many_elements', byAddress(extended('<x/>'.repeat(15_000)))],
    ['inflate_failed', byAddress(extended('<x/>'.repeat(19_000)))],
  ])('%s', (reason, work) => {
    expect(reasonOf(work)).toBe(reason)
  })

  /** A signature of nobody: its prefixes are read before it is compared with any key. */
  const signed = (prefixes: number) => {
    const listed = Array.from({ length: prefixes }, (_, n) => `p${n}`).join(' ')
    const declared = (prefix: string) =>
      Array.from({ length: 50 }, (_, n) => `xmlns:${prefix}${n}="urn:x"`).join(' ')
    const dsig = 'http://www.w3.org/2000/09/xmldsig#'
    return request
      .replace(' ID=', ` ${declared('p')} ID=`)
      .replace(
        '</saml:Issuer>',
        `</saml:Issuer><ds:Signature xmlns:ds="${dsig}" ${declared('q')}><ds:SignedInfo>` +
          `<ds:CanonicalizationMethod Algorithm="${exclusiveC14n}"><c:InclusiveNamespaces xmlns:c="${exclusiveC14n}" PrefixList="${listed}"/></ds:CanonicalizationMethod>` +
          '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/>' +
          `<ds:Reference URI="#_one"><ds:Transforms><ds:Transform Algorithm="${dsig}enveloped-signature"/><ds:Transform Algorithm="${exclusiveC14n}"/></ds:Transforms>` +
          '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference>' +
          '</ds:SignedInfo><ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>',
      )
  }

  test('a signature that keeps more prefixes than an element may declare is refused', () => {
    expect(reasonOf(() => verifyEnveloped(signed(64), []))).toBe('signature_invalid')
    expect(reasonOf(() => verifyEnveloped(signed(65), []))).toBe('signature_structure')
    expect(reasonOf(() => verifyEnveloped(signed(60_000), []))).toBe('signature_structure')
  })

  test('costs at most 10 times the CPU of half a megabyte of JSON', () => {
    const bare = JSON.stringify(
      Array.from({ length: 10_000 }, (_, n) => ({ name: `value ${n}`, value: [n, 'text', null] })),
    )
    const cpuMs = (work: () => unknown): number => {
      const before = process.cpuUsage()
      reasonOf(work)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    }
    const ofPrefixes = signed(50_000)
    const hostile: Record<string, () => unknown> = {
      'elements in a form': byForm(extended('<x/>'.repeat(19_000))),
      'attributes in a form': byForm(extended(attributes.repeat(800))),
      'attributes in a form of 64 KiB': byForm(extended(attributes.repeat(130))),
      'elements in an address': byAddress(extended('<x/>'.repeat(15_000))),
      'attributes in an address': byAddress(extended(attributes.repeat(130))),
      prefixes: () => verifyEnveloped(ofPrefixes, []),
    }
    const costs = Object.entries(hostile).map(([what, work]) => {
      // The smallest of 8 counts, because the load of the machine changes.
      const ratios = Array.from({ length: 8 }, () => {
        const least = cpuMs(() => JSON.stringify(JSON.parse(bare)))
        return cpuMs(work) / least
      })
      return [what, Math.min(...ratios)] as const
    })
    expect(costs.filter(([, timesBare]) => timesBare >= 10)).toEqual([])
  })
})
