import { afterEach, expect, test, vi } from 'vitest'
import { call, queryText } from './call.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a query has every value but undefined: an empty text finds what has none', () => {
  expect(queryText({ region: [''], tagValue: ['', 'a b'], top: 8, untagged: false })).toBe(
    'region=&tagValue=&tagValue=a+b&top=8&untagged=false',
  )
  expect(queryText({ lineage: '' })).toBe('lineage=')
  expect(queryText({ q: undefined, region: undefined, tagValue: [undefined] })).toBe('')
  expect(queryText(undefined)).toBe('')
})

test('a call for what has no region says so', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address)
    return Response.json({ empty: true })
  })
  await call('getCost', { query: { from: '2026-03-01', region: [''], service: undefined } })
  expect(asked).toEqual(['/api/finops/cost?from=2026-03-01&region='])
})
