import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Login } from '../../../api/sign-in/schemas.ts'
import { openapiText } from '../../../api/http/openapi.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

type Response = { $ref?: string; content?: Record<string, { schema?: unknown }> }
type Operation = {
  operationId?: string
  security?: Array<Record<string, unknown>>
  requestBody?: unknown
  responses: Record<string, Response>
  'x-access'?: string
}

describe('GET /api/openapi.json', () => {
  let harness: Harness
  let operations: Array<{ name: string; path: string; operation: Operation }>
  beforeAll(async () => {
    harness = await createHarness()
    const { paths } = (await harness.app.inject({ url: '/api/openapi.json' })).json()
    operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        path,
        operation,
      })),
    )
  })
  afterAll(async () => harness.close())

  test('the committed document equals the server’s (node scripts/write-openapi.ts rewrites it)', () => {
    const committed = readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8')
    expect(committed).toBe(openapiText(harness.app))
  })

  test('it is serialized once, for both of its addresses', async () => {
    const stringify = vi.spyOn(JSON, 'stringify')
    const texts = new Set<string>()
    for (const url of ['/api/openapi.json', '/docs/json', '/api/openapi.json']) {
      const answer = await harness.app.inject({ url })
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      texts.add(answer.body)
    }
    expect(texts.size).toBe(1)
    const large = stringify.mock.results.filter(({ value }) => String(value).length > 100_000)
    stringify.mockRestore()
    // It was asked for before.
    expect(large).toEqual([])
  })

  test('it is valid OpenAPI 3.1', async () => {
    const document = (await harness.app.inject({ url: '/api/openapi.json' })).json()
    const result = await new Validator().validate(document)
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(document.openapi).toBe('3.1.0')
  })

  test('it has every route except those of the reference and LOCK and UNLOCK', () => {
    const described = new Set(operations.map(({ name }) => name))
    const missing = harness.app
      .routeTable()
      .map(({ method, url }) => `${method.toLowerCase()} ${url.replace(/:(\w+)/g, '{$1}')}`)
      .filter((name) => !described.has(name) && !name.startsWith('get /docs'))
      // The route that answers unknown SCIM paths, for each method.
      .filter((name) => !name.endsWith(' /api/scim/v2/*'))
    expect(missing).toEqual([
      'get /api/openapi.json',
      'lock /api/workspaces/{id}/state',
      'unlock /api/workspaces/{id}/state',
    ])
  })

  test('texts of a body exclude NUL, as the parser does, and the validating schemas are unchanged', async () => {
    const document = (await harness.app.inject({ url: '/api/openapi.json' })).json()
    const { schema } =
      document.paths['/api/auth/login'].post.requestBody.content['application/json']
    expect(schema.properties).toMatchObject({
      email: { pattern: '^[^\\u0000]*$' },
      password: { pattern: '^[^\\u0000]*$' },
    })
    expect(Login.properties.email).not.toHaveProperty('pattern')
  })

  test('each operation has a unique name', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z]+$/)
    expect(new Set(names).size).toBe(names.length)
  })

  test('each operation states its access and its refusals', () => {
    for (const { name, path, operation } of operations) {
      const { responses, security, requestBody } = operation
      expect(security, name).toBeDefined()
      const isPublic = operation['x-access'] === 'public'
      expect(security?.length === 0, name).toBe(isPublic)
      if (!path.startsWith('/api/')) continue
      const needed = [
        '500',
        ...(isPublic ? [] : ['401', '403']),
        ...(path.includes('{') ? ['404'] : []),
        ...(requestBody === undefined ? [] : ['400', '413', '415']),
      ]
      expect(Object.keys(responses), name).toEqual(expect.arrayContaining(needed))
      for (const [status, { $ref, content }] of Object.entries(responses))
        if (Number(status) >= 400) {
          // Routes to which browsers are redirected answer with a page.
          const { schema } = content?.['application/json'] ?? content?.['text/html'] ?? {}
          expect($ref ?? schema, `${name} ${status}`).toBeDefined()
        }
      if (operation['x-access'] === 'scim')
        for (const [status, { $ref }] of Object.entries(responses))
          // 431 is sent before the path is read, so the service cannot know that it is a SCIM
          // route.
          if ($ref && status !== '431') expect($ref, name).toMatch(/\/Scim/)
    }
  })
})
