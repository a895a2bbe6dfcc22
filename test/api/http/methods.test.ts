import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

describe('methods that an address does not support', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  /** Sends over a socket, because injected requests do not support TRACE. */
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    return new Promise<{ status: number; allow: string | undefined; body: string }>(
      (resolve, reject) => {
        const sent = request(`${harness.config.baseUrl}${path}`, { method, headers }, (answer) => {
          let body = ''
          answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, allow: answer.headers.allow, body }),
          )
        })
        sent.on('error', reject)
        sent.end()
      },
    )
  }

  test.each(['TRACE', 'PUT', 'OPTIONS', 'PROPFIND'])(
    '405: %s, with what may be asked',
    async (method) => {
      const answer = await ask(method, '/api/pipelines?limit=1', { cookie: 'cc_session=stolen' })
      expect([answer.status, answer.allow]).toEqual([405, 'GET, POST'])
      expect(answer.body).toBe('{"error":"Use GET or POST here.","code":"method_not_allowed"}')
    },
  )

  test('405: at an address with an id', async () => {
    expect(await ask('TRACE', '/api/workspaces/7')).toMatchObject({
      status: 405,
      allow: 'GET, PATCH, DELETE',
    })
  })

  test.each([
    ['GET', '/api/auth/saml/acs', 'POST'],
    ['PUT', '/api/auth/saml/slo?SAMLRequest=x', 'GET, POST'],
    ['POST', '/api/auth/saml/login/request', 'GET'],
  ])('405: %s %s is told on a page', async (method, path, allow) => {
    const answer = await ask(method, path)
    expect([answer.status, answer.allow]).toEqual([405, allow])
    expect(answer.body).toMatch(/^<!doctype html>/)
  })

  test.each(['/healthz', '/readyz', '/login'])('HEAD %s has no body', async (path) => {
    const asked = await ask('GET', path)
    expect(asked.body).not.toBe('')
    expect(await ask('HEAD', path)).toEqual({ ...asked, body: '' })
  })

  test('404: unknown addresses and hidden ones', async () => {
    for (const path of ['/api/nothing', '/api/admin/organizations', '/api/workspaces//variables'])
      expect(await ask('TRACE', path), path).toEqual({
        status: 404,
        allow: undefined,
        body: '{"error":"Not found","code":"not_found"}',
      })
  })
})
