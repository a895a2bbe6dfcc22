import { expect, test } from 'vitest'
import { auditedDetail } from './audited-detail.ts'

const globs = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `${at}/${'x'.repeat(length)}`)

test('a detail of 8 KiB is kept as it is', () => {
  const detail = { reason: 'x'.repeat(8_100), at: new Date(0), from: undefined }
  expect(auditedDetail(detail)).toBe(JSON.stringify(detail))
})

test('a larger one keeps what changed by name, the first entries, and how many there were', () => {
  const detail = {
    name: { from: 'shop', to: 'store' },
    triggerPaths: { from: [], to: globs(50, 1_000) },
    agentWaitMinutes: { from: 30, to: 5 },
  }
  const cut = JSON.parse(auditedDetail(detail))
  expect(cut).toEqual({
    name: { from: 'shop', to: 'store' },
    triggerPaths: {
      from: [],
      to: globs(10, 1_000).map((glob) => `${glob.slice(0, 149)}…`),
    },
    agentWaitMinutes: { from: 30, to: 5 },
    truncated: {
      bytes: Buffer.byteLength(JSON.stringify(detail)),
      entries: { 'triggerPaths.to': 50 },
    },
  })
})

test.each<[string, Record<string, unknown>]>([
  ['one text', { comment: 'ü'.repeat(300_000) }],
  ['texts that JSON escapes', { paths: Array.from({ length: 500 }, () => '\u0001'.repeat(900)) }],
  ['surrogate pairs', { paths: Array.from({ length: 500 }, () => '😀'.repeat(900)) }],
  ['many names', Object.fromEntries(globs(5_000, 100).map((name) => [name, name]))],
  ['numbers', { ids: Array.from({ length: 100_000 }, (_, at) => at) }],
  ['levels', { a: globs(30, 30).map((a) => globs(30, 30).map((b) => globs(30, 30).concat(a, b))) }],
])('of any shape it has at most 8 KiB: %s', (_, detail) => {
  const json = auditedDetail(detail)
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(8_192)
  const { truncated } = JSON.parse(json)
  expect(truncated.bytes).toBe(Buffer.byteLength(JSON.stringify(detail)))
})
