import { describe, expect, test } from 'vitest'
import { isKnownVersion, readRange } from './byte-range.ts'

const etag = '"sha256:aa"'
const read = (range?: string, ifRange?: string, sizeBytes = 100) =>
  readRange({ range, ifRange }, { sizeBytes, etag })

describe('ranges', () => {
  test.each([
    ['bytes=0-9', { kind: 'part', first: 0, last: 9 }],
    ['bytes=90-', { kind: 'part', first: 90, last: 99 }],
    ['bytes=90-1000', { kind: 'part', first: 90, last: 99 }],
    ['bytes=-10', { kind: 'part', first: 90, last: 99 }],
    ['bytes=-1000', { kind: 'part', first: 0, last: 99 }],
    ['Bytes=0-0', { kind: 'part', first: 0, last: 0 }],
    ['bytes=100-', { kind: 'none' }],
    ['bytes=-0', { kind: 'none' }],
    ['bytes=9-0', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    ['bytes=0-1,5-6', { kind: 'whole' }],
    ['items=0-1', { kind: 'whole' }],
    ['bytes=0x1-2', { kind: 'whole' }],
    ['bytes=1e3-', { kind: 'whole' }],
  ])('%s', (range, expected) => {
    expect(read(range)).toEqual(expected)
  })

  test('without one, and with If-Range of another version or a date, the whole', () => {
    expect(read()).toEqual({ kind: 'whole' })
    expect(read('bytes=0-1', etag)).toEqual({ kind: 'part', first: 0, last: 1 })
    for (const other of ['"sha256:bb"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])
      expect(read('bytes=0-1', other)).toEqual({ kind: 'whole' })
  })

  test('a known version', () => {
    for (const known of [etag, `"x", W/${etag}`, '*'])
      expect(isKnownVersion(known, etag)).toBe(true)
    for (const other of [undefined, '', '"x"', 'sha256:aa'])
      expect(isKnownVersion(other, etag)).toBe(false)
  })
})
