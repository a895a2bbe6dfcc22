import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

describe('requests that Node’s HTTP parser rejects get the usual error body', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const answerTo = async (text: string): Promise<{ head: string; body: string }> => {
    const socket = connect(harness.config.port, '127.0.0.1')
    let said = ''
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
    // The service closes the connection, perhaps while the client still writes.
    socket.on('error', () => undefined)
    socket.write(text)
    await once(socket, 'close')
    const [head = '', body = ''] = said.split('\r\n\r\n')
    return { head, body }
  }

  test('431: an address of 20 KB', async () => {
    const long = 'x'.repeat(20_000)
    const { head, body } = await answerTo(
      `GET /api/workspaces?q=${long} HTTP/1.1\r\nhost: x\r\n\r\n`,
    )
    expect(head).toMatch(/^HTTP\/1\.1 431 /)
    expect(head).toMatch(/^x-request-id: [\w-]{16}$/m)
    expect(JSON.parse(body)).toEqual({
      error: 'The address and the headers are over 16 KiB. Shorten them.',
      code: 'headers_too_large',
    })
  })

  test('431: an HTML page on the addresses to which identity providers send browsers', async () => {
    const { head, body } = await answerTo(
      `GET /api/auth/saml/slo?SAMLRequest=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    )
    expect(head).toMatch(/^HTTP\/1\.1 431 /)
    expect(head).toContain('\r\ncontent-type: text/html; charset=utf-8\r\n')
    expect(body).toContain('<p>The address and the headers are over 16 KiB. Shorten them.</p>')
  })

  test('431: the SCIM envelope for a filter that is too long', async () => {
    const { head, body } = await answerTo(
      `GET /api/scim/v2/Users?filter=${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    )
    expect(head).toContain('\r\ncontent-type: application/scim+json; charset=utf-8\r\n')
    expect(JSON.parse(body)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '431',
      detail: 'The address and the headers are over 16 KiB. Shorten them.',
    })
  })

  test('400: bytes that are not HTTP', async () => {
    const { head, body } = await answerTo('hello\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(body)).toEqual({ error: 'This is no HTTP request.', code: 'bad_request' })
  })
})
