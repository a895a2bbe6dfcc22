import type { Socket } from 'node:net'
import type { Config } from '../../config.ts'
import { isBrowserAddress } from '../../domain/saml/is-browser-address.ts'
import { isScimAddress } from '../../domain/scim/scim-address.ts'
import { page, pageHeaders } from '../saml/pages.ts'
import { isHttps, strictTransport } from './https.ts'
import { newRequestId } from './request-id.ts'
import { scimErrorBody, scimMediaType } from './scim-error-body.ts'

type Refusal = { status: string; error: string; code: string }

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    error: 'The address and the headers are over 16 KiB. Shorten them.',
    code: 'headers_too_large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    error: 'The request did not arrive in time.',
    code: 'request_timeout',
  },
}
const malformed = {
  status: '400 Bad Request',
  error: 'This is no HTTP request.',
  code: 'bad_request',
}

type ParserFault = Error & { code?: string; rawPacket?: unknown }

/** Answers what Node's HTTP parser refuses before any route, with the usual error body. */
export const refuseConnection =
  (config: Pick<Config, 'baseUrl'>) =>
  (fault: ParserFault, socket: Socket): void => {
    if (fault.code === 'ECONNRESET' || socket.destroyed) return
    const { status, error, code } = refusals[fault.code ?? ''] ?? malformed
    const { body, headers: own } = render(addressIn(fault.rawPacket), { status, error, code })
    const headers = {
      'cache-control': 'no-store',
      ...own,
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
      ...(isHttps(config) && { 'strict-transport-security': strictTransport }),
      'x-request-id': newRequestId(),
      connection: 'close',
    }
    const head = [`HTTP/1.1 ${status}`, ...Object.entries(headers).map((pair) => pair.join(': '))]
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    socket.destroy(fault)
  }

function render(address: string, { status, error, code }: Refusal) {
  if (isBrowserAddress(address))
    return { body: page('That did not work', `<p>${error}</p>`), headers: pageHeaders }
  const isScim = isScimAddress(address)
  return {
    body: JSON.stringify(isScim ? scimErrorBody(parseInt(status, 10), error) : { error, code }),
    headers: {
      'content-type': `${isScim ? scimMediaType : 'application/json'}; charset=utf-8`,
    },
  }
}

/** The address in the last packet, which is also the first one for requests that arrive at once. */
function addressIn(packet: unknown): string {
  const text = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 200) : ''
  return /^[A-Z]+ ([^ ]*)/.exec(text)?.[1] ?? ''
}
