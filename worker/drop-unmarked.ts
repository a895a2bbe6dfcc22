import { defaultPayloadConverter, type PayloadCodec } from '@temporalio/common'
import type { Logger } from 'pino'

/**
 * To a worker a payload without our mark is as good as absent. Refused with an error it would
 * fail the workflow's task, again and again for ever: whoever can reach the engine, or presses
 * "Send a Signal" in its UI and types a word, could so freeze a run and its workspace.
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
