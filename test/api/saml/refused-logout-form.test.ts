import { deflateRawSync } from 'node:zlib'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signEnveloped } from '../../../domain/saml/enveloped-signature.ts'
import { rsaSha256 } from '../../../domain/saml/plain-signature.ts'
import { redirectUrl } from '../../../domain/saml/redirect-binding.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import {
  byForm,
  formFields,
  isAlive,
  newKey,
  postForm,
  provider,
  requestXml,
  signedIn,
  type Provider,
  type SignedIn,
} from './logout-provider.ts'

let harness: Harness
let idp: Provider
let ada: SignedIn
beforeAll(async () => {
  harness = await createHarness()
  idp = await provider(harness)
  ada = await signedIn(harness, idp)
})
afterAll(async () => harness.close())

const kind = 'SAMLRequest' as const
const xmlOf = () => requestXml(harness, idp, ada)
const deflated = (xml: string) => encodeURIComponent(deflateRawSync(xml).toString('base64'))
const queryOf = () =>
  redirectUrl(
    { kind, xml: xmlOf(), destination: '', relayState: 'state' },
    idp.key.privateKey,
  ).slice(1)

/** Valid fields of a form, which each case changes. */
const form = async (change: Record<string, string | undefined>) => {
  const fields = Object.entries({ ...formFields(queryOf()), ...change })
  const kept = fields.flatMap(([name, value]): Array<[string, string]> =>
    value === undefined ? [] : [[name, value]],
  )
  return postForm(harness, Object.fromEntries(kept))
}

const bad: Record<string, () => Promise<LightMyRequestResponse>> = {
  'unsigned, deflated in a form': async () => postForm(harness, `SAMLRequest=${deflated(xmlOf())}`),
  'a signature of another key, in a form': async () =>
    byForm(harness, idp, { kind, xml: xmlOf(), key: newKey() }),
  'another message under the signature, in a form': async () =>
    form({ SAMLRequest: deflateRawSync(xmlOf()).toString('base64') }),
  'another RelayState under the signature, in a form': async () => form({ RelayState: 'other' }),
  'a RelayState that swallows a field, in a form': async () =>
    form({ RelayState: `state&SigAlg=${rsaSha256}` }),
  'an empty RelayState under the signature, in a form': async () => form({ RelayState: '' }),
  'RelayState taken away, in a form': async () => form({ RelayState: undefined }),
  'no SigAlg, in a form': async () => form({ SigAlg: undefined }),
  'no Signature, in a form': async () => form({ Signature: undefined }),
  'an empty Signature, in a form': async () => form({ Signature: '' }),
  'the signature in the address, the message in a form': async () => {
    const [, message = '', rest = ''] = /^(SAMLRequest=[^&]*)&(.*)$/.exec(queryOf()) ?? []
    return harness.app.inject({
      method: 'POST',
      url: `/api/auth/saml/slo?${rest}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: message,
    })
  },
  'a signature inside and one beside, in a form': async () =>
    byForm(harness, idp, { kind, xml: signEnveloped(xmlOf(), idp.key) }),
  'a signature inside that is not ours, and a good one beside': async () =>
    byForm(harness, idp, { kind, xml: signEnveloped(xmlOf(), newKey()) }),
  'a signature inside, not deflated, and one beside': async () =>
    form({ SAMLRequest: Buffer.from(signEnveloped(xmlOf(), idp.key)).toString('base64') }),
  'a signature inside, deflated, and none beside': async () =>
    form({
      SAMLRequest: deflateRawSync(signEnveloped(xmlOf(), idp.key)).toString('base64'),
      SigAlg: undefined,
      Signature: undefined,
    }),
  'a bomb, unsigned': async () => {
    const bomb = deflateRawSync(Buffer.alloc(300_000_000)).toString('base64')
    return form({ SAMLRequest: bomb, SigAlg: undefined, Signature: undefined })
  },
}

// Sends a deflated message, SigAlg and Signature as fields of a form. An invalid form ends no
// session.
test.each(Object.entries(bad))('400: %s', async (_, send) => {
  const response = await send()
  expect(response.statusCode).toBe(400)
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(response.headers['set-cookie']).toBeUndefined()
  expect(await isAlive(harness, ada.cookie)).toBe(true)
})

test('303: the valid form ends the session', async () => {
  expect((await form({})).statusCode).toBe(303)
  expect(await isAlive(harness, ada.cookie)).toBe(false)
})
