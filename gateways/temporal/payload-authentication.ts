import { timingSafeEqual } from 'node:crypto'
import type { Payload, PayloadCodec } from '@temporalio/common'
import type { Keyring } from '../keyring/keyring.ts'

const mark = 'cc-mac'

/**
 * Leaves payloads readable in Temporal's UI, since they hold no secret, and binds each to its
 * workflow by an HMAC. An attacker who reaches Temporal without the keyring can neither start a
 * workflow of this service nor replay one workflow's input in another (docs/temporal.md).
 */
export function payloadAuthentication(keyring: Keyring): PayloadCodec {
  const macOf = (payload: Payload, workflowId: string | undefined): Buffer => {
    const encoding = payload.metadata?.['encoding'] ?? new Uint8Array()
    // A schedule passes the last run's result on, under an id with another time suffix.
    const id = (workflowId ?? '').replace(/-\d{4}-\d\d-\d\dT[\d:]+Z$/, '')
    const head = Buffer.from(JSON.stringify([id, Buffer.from(encoding).toString()]))
    // An absent value has no data or an empty list, depending on the SDK's side.
    const data = Buffer.from(payload.data ?? [])
    return keyring.mac('temporal-payload', Buffer.concat([head, data]))
  }

  return {
    async encode(payloads, context) {
      return payloads.map((payload) => ({
        ...payload,
        metadata: { ...payload.metadata, [mark]: macOf(payload, context?.workflowId) },
      }))
    },
    async decode(payloads, context) {
      return payloads.map((payload) => {
        const given = payload.metadata?.[mark]
        const expected = macOf(payload, context?.workflowId)
        if (!given || given.length !== expected.length || !timingSafeEqual(given, expected))
          throw new Error('a payload does not carry the mark of this service')
        const metadata = { ...payload.metadata }
        delete metadata[mark]
        return { ...payload, metadata }
      })
    },
  }
}
