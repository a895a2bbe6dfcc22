import { expect, test, vi } from 'vitest'
import { parseManifest } from '../../../../gateways/clouds/bills/parse-manifest.ts'
import {
  allPages,
  commonFolder,
  newestPeriods,
  readySlice,
  shown,
} from '../../../../gateways/clouds/bills/slices.ts'

test('a list has all of its pages, and ends where a storage never ends it', async () => {
  const pages = [['a', 'b'], [], ['c']]
  const walk = async (token = '0') => {
    const next = Number(token) + 1
    return { items: pages[next - 1] ?? [], next: next < pages.length ? String(next) : undefined }
  }
  expect(await allPages(walk)).toEqual(['a', 'b', 'c'])
  let asked = 0
  const endless = async () => ({ items: [], next: String((asked += 1)) })
  await expect(allPages(endless)).rejects.toThrow(/folder of its own/)
  const full = async () => ({ items: Array.from({ length: 1_000 }), next: String((asked += 1)) })
  asked = 0
  await expect(allPages(full)).rejects.toThrow(/folder of its own/)
  expect(asked).toBe(101)
})

test('a manifest of 5,000 files is parsed, and one of millions of items is not', () => {
  const blob = (n: number) => ({ blobName: `part_${n}.csv`, byteCount: n, rows: n, etag: '"e"' })
  const manifest = { blobs: Array.from({ length: 5_000 }, (_, n) => blob(n)), blobCount: 5_000 }
  expect(parseManifest(`\uFEFF${JSON.stringify(manifest)}`)).toEqual(manifest)
  const parse = vi.spyOn(JSON, 'parse')
  const dense = `{"dataFiles":[${'0,'.repeat(2_000_000)}0]}`
  expect(parseManifest(dense)).toBeUndefined()
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
})

test('the newest periods are months up to the next one', () => {
  const found = [
    '2026-12',
    '2026-10',
    '2027-01',
    '2026-13',
    '2026-1',
    '2026-09',
    '2026-11',
    '2026-12',
  ]
  const now = new Date('2026-11-23T00:00:00Z')
  expect(newestPeriods(found, [], now)).toEqual(['2026-12', '2026-11', '2026-10'])
})

test('a slice with more files or bytes than are ingested waits', () => {
  const place = { period: '2026-10', manifest: 'm' }
  const file = (n: number, size = 1) => ({ key: `k${n}`, size, etag: 'e' })
  const many = Array.from({ length: 5_001 }, (_, n) => file(n))
  expect(readySlice(place, many).reason).toMatch(/5001 files; at most 5000/)
  expect(readySlice(place, many.slice(1)).state).toBe('ready')
  expect(readySlice(place, [file(1, 300 * 1024 ** 3)]).reason).toMatch(/300 GiB; at most 256/)
})

test('the hash is of names, etags and sizes, and of no order', () => {
  const place = { period: '2026-10', manifest: 'm' }
  const files = [
    { key: 'a', size: 1, etag: 'e' },
    { key: 'b', size: 2, etag: 'f' },
  ]
  const { hash } = readySlice(place, files)
  expect(readySlice(place, files.toReversed()).hash).toBe(hash)
  for (const other of [{ key: 'c' }, { size: 3 }, { etag: 'g' }])
    expect(readySlice(place, [{ key: 'a', size: 1, etag: 'e', ...other }]).hash).not.toBe(hash)
})

test.each(['a\0b', 'a\nb', '../b', 'a/../b', 'a/./b', 'a/..'])(
  'a file named %j cannot be asked for',
  (key) => {
    const slice = readySlice({ period: '2026-10', manifest: key }, [{ key, size: 1, etag: 'e' }])
    expect(slice.reason).toMatch(/cannot be asked for/)
    expect(`${slice.reason}${slice.manifest}`).not.toMatch(/\p{Cc}/u)
  },
)

test('names in texts are cut, and have no control characters', () => {
  expect(shown(`a\0b${'x'.repeat(5_000)}`)).toHaveLength(1_100)
  expect(shown('a\0b')).toBe('a\uFFFDb')
})

test('the folder that files share', () => {
  expect(commonFolder(['a/b/1', 'a/b/2'])).toBe('a/b/')
  expect(commonFolder(['a/b/1', 'a/bc/2'])).toBe('a/')
  expect(commonFolder(['a/1', 'b/2'])).toBe('')
  expect(commonFolder(['1'])).toBe('')
})
