import type { Socket } from 'node:net'

const refusals: Record<string, { status: string; error: string; code: string }> = {
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

/** What Node's parser gives up on, so that no route ever sees it: told in the body of every other error. */
export function refuseConnection(fault: Error & { code?: string }, socket: Socket): void {
  if (fault.code === 'ECONNRESET' || socket.destroyed) return
  const { status, error, code } = refusals[fault.code ?? ''] ?? malformed
  const body = JSON.stringify({ error, code })
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy(fault)
}
