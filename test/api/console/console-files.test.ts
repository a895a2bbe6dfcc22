import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerConsole } from '../../../api/console/console-files.ts'

const inlineScript = `\n  document.title = 'one'\n`
const inlineStyle = 'body{margin:0}'
const html = `<!doctype html><title>console</title><script>${inlineScript}</script><style>${inlineStyle}</style><script type="module" src="/assets/index-abc.js"></script>`

describe('the console’s files', () => {
  let folder: string
  let app: FastifyInstance
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cc-console-'))
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), html)
    writeFileSync(join(folder, 'index.html.br'), brotliCompressSync(html))
    writeFileSync(join(folder, 'index.html.gz'), gzipSync(html))
    writeFileSync(join(folder, 'assets/index-abc.js'), 'export {}')
    app = fastify()
    await registerConsole(app, folder)
  })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })

  const page = { accept: 'text/html,application/xhtml+xml' }

  test.each(['/', '/workspaces/12', '/login?sso=failed', '/apis'])(
    '200: %s is the one page, under a strict policy',
    async (url) => {
      const { statusCode, headers, body } = await app.inject({ url, headers: page })
      expect(statusCode).toBe(200)
      expect(body).toContain('<title>console')
      expect(headers['content-type']).toContain('text/html')
      expect(headers['cache-control']).toBe('no-cache')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('no-referrer')
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
    },
  )

  test('200: the content security policy allows inline code only by the hashes of the build', async () => {
    const { headers } = await app.inject({ url: '/', headers: page })
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain(`script-src 'self' ${hash(inlineScript)};`)
    expect(policy).toContain(`style-src 'self' ${hash(inlineStyle)};`)
    // An asset is not a page, so its policy needs no hashes.
    const file = await app.inject({ url: '/assets/index-abc.js' })
    expect(String(file.headers['content-security-policy'])).not.toContain('sha256')
  })

  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['identity', undefined],
    [undefined, undefined],
  ])('200: to whom takes %s the page comes as %s', async (accepts, encoding) => {
    const asked = { ...page, ...(accepts && { 'accept-encoding': accepts }) }
    const { headers, rawPayload, body } = await app.inject({ url: '/', headers: asked })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers.vary).toBe('accept-encoding')
    const text = encoding === 'br' ? brotliDecompressSync(rawPayload).toString() : body
    if (encoding !== 'gzip') expect(text).toBe(html)
  })

  test('304: an unchanged page is not sent again', async () => {
    const { headers } = await app.inject({ url: '/', headers: page })
    const again = await app.inject({
      url: '/workspaces/1',
      headers: { ...page, 'if-none-match': String(headers.etag) },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    expect(again.headers['content-security-policy']).toBe(headers['content-security-policy'])
  })

  test('200: a file with a hash in its name is cached for a year', async () => {
    const { statusCode, headers } = await app.inject({ url: '/assets/index-abc.js' })
    expect(statusCode).toBe(200)
    expect(headers['cache-control']).toContain('immutable')
  })

  test.each(['/api/nothing', '/api', '/assets/gone.js', '/docs/gone', '/metrics'])(
    '404: %s is JSON even to a browser',
    async (url) => {
      const { statusCode, body } = await app.inject({ url, headers: page })
      expect(statusCode).toBe(404)
      expect(JSON.parse(body)).toEqual({ error: 'Not found', code: 'not_found' })
    },
  )

  test('200: `/` answers a client that accepts any type with the page, other addresses do not', async () => {
    const statusOf = async (url: string, headers = {}) =>
      (await app.inject({ url, headers })).statusCode
    for (const headers of [{}, { accept: '*/*' }]) {
      for (const url of ['/', '/login', '/login?sso=failed'])
        expect(await statusOf(url, headers), url).toBe(200)
      for (const url of ['/workspaces', '/nothing', '/login/x', '/api'])
        expect(await statusOf(url, headers), url).toBe(404)
    }
    expect(await statusOf('/login', { accept: 'application/json, text/plain, */*' })).toBe(404)
  })

  test('404: a request other than GET, or for JSON, gets no page', async () => {
    const posted = await app.inject({ method: 'POST', url: '/workspaces', headers: page })
    const asked = await app.inject({ url: '/workspaces', headers: { accept: 'application/json' } })
    expect([posted.statusCode, asked.statusCode]).toEqual([404, 404])
  })

  test.each([
    ['/login', 'Sign in'],
    ['/login?sso=failed', 'Single sign-on did not succeed'],
    ['/login?signedout=1', 'You are signed out'],
    ['/login?signedout=partial', 'not everywhere'],
    ['/login?signedout=failed', 'not at your identity provider'],
    ['/login?sso=<script>alert(1)</script>', 'Single sign-on did not succeed'],
  ])('200: without a build %s is a plain page that says the next step', async (url, says) => {
    const bare = fastify()
    await registerConsole(bare, join(folder, 'nothing'))
    const { statusCode, headers, body } = await bare.inject({ url, headers: page })
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toContain('text/html')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(body).toContain(says)
    expect(body).toContain('npm run build')
    expect(body).not.toContain('<script')
    await bare.close()
  })

  test('404: without a build of the console the API works', async () => {
    const bare = fastify()
    await registerConsole(bare, join(folder, 'nothing'))
    const { statusCode, body } = await bare.inject({ url: '/', headers: page })
    expect(statusCode).toBe(404)
    expect(JSON.parse(body).code).toBe('not_found')
    await bare.close()
  })
})
