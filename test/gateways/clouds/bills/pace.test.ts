import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Asked, download } from '../../../../gateways/clouds/bills/download.ts'
import { createPace } from '../../../../gateways/clouds/bills/pace.ts'

const folder = mkdtempSync(join(tmpdir(), 'cc-pace-'))
afterAll(() => rmSync(folder, { recursive: true }))

const mebibyte = 1024 ** 2
let number = 0

/** A storage that sends so many bytes of a file in each answer, each after so many seconds. */
function storage({
  bytes,
  seconds,
  waits = 0,
}: {
  bytes: number
  seconds: number
  /** Seconds for room on the disk, before each piece. */
  waits?: number
}) {
  let now = 0
  const pace = createPace(() => now)
  const asked: number[] = []
  const ask = async ({ from, last }: Asked) => {
    asked.push(from)
    now += seconds * 1_000
    const body = Buffer.alloc(Math.min(bytes, last + 1 - from))
    const contentRange = `bytes ${from}-${last}/${last + 1}`
    return {
      status: 206,
      etag: 'e',
      contentRange,
      body: [body] as unknown as AsyncIterable<Buffer>,
    }
  }
  const beforePiece = async () => pace.rest(async () => void (now += waits * 1_000))
  const { signal } = new AbortController()
  const progress = { signal, onBytes: () => undefined, beforePiece, pace }
  return {
    asked,
    async fetch(size: number) {
      const path = join(folder, String((number += 1)))
      await download({ key: 'k', size, etag: 'e' }, path, { ask, progress })
      return readFileSync(path).length
    },
  }
}
const tooSlow = { kind: 'unreachable', message: expect.stringMatching(/less than 64 KiB a second/) }

test('a storage that sends 1 MiB in 119 s is too slow, however its answers end', async () => {
  const slow = storage({ bytes: mebibyte, seconds: 119 })
  await expect(slow.fetch(40 * mebibyte)).rejects.toMatchObject(tooSlow)
  expect(slow.asked).toHaveLength(1)
})

test('a link of 82 KiB a second is fast enough', async () => {
  const link = storage({ bytes: 8 * mebibyte, seconds: 100 })
  expect(await link.fetch(40 * mebibyte)).toBe(40 * mebibyte)
  expect(link.asked).toHaveLength(5)
})

test('small files that each come after 50 s are too slow together, and after 2 s are not', async () => {
  const slow = storage({ bytes: 100, seconds: 50 })
  expect(await slow.fetch(100)).toBe(100)
  await expect(slow.fetch(100)).rejects.toMatchObject(tooSlow)
  const usual = storage({ bytes: 100, seconds: 2 })
  for (let file = 0; file < 100; file += 1) expect(await usual.fetch(100)).toBe(100)
})

test('what the worker waits for is not the time of the storage', async () => {
  const usual = storage({ bytes: 8 * mebibyte, seconds: 100, waits: 3_600 })
  expect(await usual.fetch(40 * mebibyte)).toBe(40 * mebibyte)
  const slow = storage({ bytes: mebibyte, seconds: 119, waits: 3_600 })
  await expect(slow.fetch(40 * mebibyte)).rejects.toMatchObject(tooSlow)
})
