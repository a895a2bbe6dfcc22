import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let viewer: TestUser
let owner: TestUser
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
  const org = await harness.organization()
  ;[viewer, owner] = [await org.user('Viewer'), await org.user('Owner')]
  for (let n = 0; n < 12; n += 1)
    await owner.post('/api/workspaces', { name: `ws-${n}`, description: 'x'.repeat(400) })
})
afterAll(async () => harness.close())

const list = '/api/workspaces?sort=name'
const get = async (headers: Record<string, string>, url = list) => viewer.get(url, { headers })

test('200: a large list in br or gzip, with the same content', async () => {
  const plain = await get({})
  expect(plain.headers['content-encoding']).toBeUndefined()
  for (const [accepted, encoding, read] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
  ] as const) {
    const answer = await get({ 'accept-encoding': accepted })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-encoding'], accepted).toBe(encoding)
    expect(answer.headers.vary).toBe('accept-encoding, sec-fetch-site')
    expect(read(answer.rawPayload).toString()).toBe(plain.body)
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
  }
  for (const accepted of ['', 'deflate', 'identity', 'br;q=0, gzip;q=0.0'])
    expect((await get({ 'accept-encoding': accepted })).headers['content-encoding']).toBeUndefined()
})

test('another site’s page learns nothing from the length of an answer', async () => {
  const from = async (site: string) =>
    (await get({ 'accept-encoding': 'br', 'sec-fetch-site': site })).headers['content-encoding']
  expect(await from('same-origin')).toBe('br')
  expect(await from('none')).toBe('br')
  for (const site of ['cross-site', 'same-site', 'nonsense'])
    expect(await from(site), site).toBeUndefined()
})

test('small answers, refusals and routes that do not say so are sent as they are', async () => {
  const headers = { 'accept-encoding': 'br' }
  for (const url of [
    '/api/runs',
    '/api/workspaces?limit=1',
    '/api/workspaces?limit=0',
    '/api/openapi.json',
  ])
    expect((await get(headers, url)).headers['content-encoding'], url).toBeUndefined()
})

test('no route whose answer has a credential is compressed, and none that changes something', async () => {
  const { paths } = (await harness.app.inject({ url: '/api/openapi.json' })).json() as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  const compressed = harness.app
    .routeTable()
    .filter(({ isCompressed }) => isCompressed)
    .map(({ method, url }) => `${method} ${url}`)
  // A new one is looked at here: what could be secret in it, and whose words are in it?
  expect(compressed.toSorted()).toEqual([
    'GET /api/audit',
    'GET /api/cloud/resources',
    'GET /api/pipelines',
    'GET /api/pipelines/:id',
    'GET /api/pipelines/:id/runs',
    'GET /api/pipelines/:id/runs/:runId',
    'GET /api/pipelines/:id/runs/:runId/logs',
    'GET /api/pipelines/:id/runs/:runId/plan',
    'GET /api/runs',
    'GET /api/runs/history',
    'GET /api/workspaces',
    'GET /api/workspaces/:id/runs',
    'GET /api/workspaces/:id/runs/:runId',
    'GET /api/workspaces/:id/runs/:runId/logs',
    'GET /api/workspaces/:id/runs/:runId/plan',
  ])
  expect(paths['/api/runs/history']).toBeDefined()
})
