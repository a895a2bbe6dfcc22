import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('200: the API reference has the same security headers as the console', async () => {
  for (const url of [
    '/docs/',
    '/docs',
    '/docs/static/swagger-ui.css',
    '/docs/static/swagger-initializer.js',
  ]) {
    const { statusCode, headers } = await harness.app.inject(url)
    expect([url, statusCode]).toEqual([url, 200])
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  }
})

// Sent unchanged over a socket, because an HTTP client would normalize some of them.
test.each([
  '/docs/%zz',
  '/docs/..%2f',
  '/docs/../',
  '/docs/..%2f..%2fpackage.json',
  '/docs/static/%00',
  '/docs/static/\u0001',
  '/docs/static/..%2f..%2f..%2fpackage.json',
  '/docs/static/%2e%2e/%2e%2e/package.json',
  '/docs/static/%c0%ae%c0%ae/',
  '/docs/static/',
  '/docs/static/.env',
  '/docs/static/a%00.css',
  '/docs/static/%25%30%30',
  '/docs/static/..%5c..%5cpackage.json',
  '/docs//etc/passwd',
  '/docs/json%00',
  '/docs/static/index.html?%zz',
  `/docs/static/${'a'.repeat(9_000)}`,
  `/docs/static/${'a/'.repeat(3_000)}`,
  '/docs/yaml',
  '/docs/json',
  '/docs/static/%E0%A4%A',
  '/docs/static/:x',
  '/docs/static/*',
])('no 500: %s', async (path) => {
  const socket = connect(harness.config.port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  const answer = await text(socket)
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1])
  expect([200, 302, 400, 404, 414]).toContain(status)
  expect(answer).not.toMatch(/node_modules|"name": "cloud-control"/)
})
