import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Config } from '../../config.ts'
import { unavailable } from '../../domain/errors.ts'

export type UiUpstream = (path: string, asked: Asked) => Promise<IncomingMessage>
type Asked = { accept: string; signal: AbortSignal }

const timeoutMs = 30_000

/**
 * Sends requests to Temporal's UI server. Over https its certificate is checked like Temporal's own, so that another
 * program on its port gets neither the secret nor the requests.
 */
export function uiUpstream({ ui, tls }: Config['temporal']): UiUpstream | undefined {
  if (!ui) return undefined
  const { upstream, secret } = ui
  const isTls = upstream.protocol === 'https:'
  const trust = isTls && {
    ...(tls?.ca && { ca: tls.ca }),
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
  }
  return (path, { accept, signal }) =>
    new Promise((resolve, reject) => {
      const asked = (isTls ? httpsRequest : httpRequest)({
        host: upstream.hostname.replace(/^\[|\]$/g, ''),
        port: upstream.port || (isTls ? 443 : 80),
        path,
        method: 'GET',
        // Only these headers of the browser are passed on: its cookie is not for the UI.
        headers: {
          accept,
          'accept-encoding': 'identity',
          ...(secret && { authorization: `Bearer ${secret.reveal()}` }),
        },
        signal,
        timeout: timeoutMs,
        ...trust,
      })
      asked.once('response', resolve)
      asked.once('timeout', () => asked.destroy(new Error('no answer')))
      asked.once('error', (error) =>
        reject(unavailable('temporal_ui_unavailable', 'Temporal’s web UI does not answer.', error)),
      )
      asked.end()
    })
}
