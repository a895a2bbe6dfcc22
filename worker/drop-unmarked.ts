import { defaultPayloadConverter, type PayloadCodec } from '@temporalio/common'
import type { Logger } from 'pino'

/**
 * Replaces a payload without a valid HMAC by `undefined`. An error would fail the workflow task again and
 * again: an attacker who reaches Temporal, or a user of "Send a Signal" in its UI, could freeze a run and
 * its workspace.
 */
export function dropUnmarked(codec: PayloadCodec, log: Pick<Logger, 'warn'>): PayloadCodec {
  return {
    encode: async (payloads, context) => codec.encode(payloads, context),
    async decode(payloads, context) {
      const decoded = payloads.map(async (payload) => {
        try {
          return await codec.decode([payload], context)
        } catch (error) {
          log.warn({ err: error, workflowId: context?.workflowId }, 'a payload was dropped')
          return [defaultPayloadConverter.toPayload(undefined)]
        }
      })
      return (await Promise.all(decoded)).flat()
    },
  }
}
