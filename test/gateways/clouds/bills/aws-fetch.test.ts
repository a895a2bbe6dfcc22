import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { BillFile } from '../../../../gateways/clouds/cloud.ts'
import { billedAws } from '../../../harness/clouds/billed-aws.ts'
import { s3Refusal } from '../../../harness/clouds/scripted-s3.ts'

const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => n % 251))

describe('a file of the bill of an AWS account', () => {
  const at = billedAws()
  let path: string
  let told = 0
  let number = 0
  const progress = () => ({
    signal: AbortSignal.timeout(60_000),
    onBytes: (more: number) => (told += more),
  })
  beforeEach(() => {
    told = 0
    path = join(at.folder, `file-${(number += 1)}`)
  })
  const found = async (body: Buffer = bytes, name = 'focus-00001.parquet'): Promise<BillFile> => {
    at.month('2026-10', { [name]: body })
    const [slice] = await (await at.bills()).find(AbortSignal.timeout(60_000))
    const file = slice?.files[0]
    if (!file) throw new Error(slice?.reason ?? 'not found')
    return file
  }
  const fetch = async (file: BillFile) => (await at.bills()).fetch(file, path, progress())
  const ranges = () => at.aws.cloud.asked.flatMap(({ headers }) => headers.range ?? [])

  test('is written to the path, and each byte is told of', async () => {
    await fetch(await found())
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(told).toBe(bytes.length)
    expect(at.aws.cloud.asked.at(-1)?.headers['if-match']).toMatch(/^"[0-9a-f]{32}"$/)
  })

  test('that breaks off is asked for from there, again and again', async () => {
    const file = await found()
    at.aws.cloud.asked.length = 0
    let cuts = 2
    at.bucket.onGet = (_, answer) => ((cuts -= 1) >= 0 ? { ...answer, cutAt: 1_000_000 } : answer)
    await fetch(file)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    const begun = ranges().map((range) => Number(/=(\d+)-/.exec(range)?.[1]))
    expect(begun).toHaveLength(3)
    expect(begun[1]).toBeGreaterThan(0)
    expect(begun).toEqual(begun.toSorted((one, other) => one - other))
  })

  test('goes on where an earlier try ended', async () => {
    const file = await found()
    writeFileSync(path, bytes.subarray(0, 2_000_000))
    at.aws.cloud.asked.length = 0
    await fetch(file)
    expect(ranges()).toEqual([`bytes=2000000-${bytes.length - 1}`])
    expect(told).toBe(1_000_000)
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('replaces what is longer than it', async () => {
    writeFileSync(path, Buffer.alloc(bytes.length + 1))
    await fetch(await found())
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('with nothing in it makes an empty file, without a request', async () => {
    const file = await found(Buffer.alloc(0))
    at.aws.cloud.asked.length = 0
    await fetch(file)
    expect(readFileSync(path)).toHaveLength(0)
    expect(at.aws.cloud.asked).toHaveLength(0)
  })

  test('that was replaced meanwhile has changed, also in its middle', async () => {
    const file = await found()
    let cuts = 1
    at.bucket.onGet = (_, answer) => {
      if ((cuts -= 1) < 0) return answer
      at.bucket.put(file.key, Buffer.alloc(bytes.length, 'n'))
      return { ...answer, cutAt: 1_000_000 }
    }
    await expect(fetch(file)).rejects.toMatchObject({ kind: 'changed' })
    expect(readFileSync(path).equals(bytes.subarray(0, readFileSync(path).length))).toBe(true)
  })

  test('that a storage without If-Match has replaced has changed', async () => {
    const file = await found()
    at.bucket.onGet = (_, answer) => ({
      ...answer,
      headers: { ...answer.headers, etag: '"other"' },
    })
    await expect(fetch(file)).rejects.toMatchObject({ kind: 'changed' })
    expect(readFileSync(path)).toHaveLength(0)
  })

  test('that is deleted has changed', async () => {
    const file = await found()
    at.bucket.files.delete(file.key)
    await expect(fetch(file)).rejects.toMatchObject({ kind: 'changed' })
  })

  test('that may not be read names the right, at the first refusal', async () => {
    const file = await found()
    at.aws.cloud.asked.length = 0
    at.bucket.onGet = () => s3Refusal(403, 'AccessDenied')
    await expect(fetch(file)).rejects.toMatchObject({ kind: 'denied', missing: ['s3:GetObject'] })
    expect(at.aws.cloud.asked).toHaveLength(1)
  })

  test('of which nothing comes is given up', async () => {
    const file = await found()
    at.bucket.onGet = (_, answer) => ({ ...answer, cutAt: 1 })
    await expect(fetch(file)).rejects.toMatchObject({ kind: 'unreachable' })
  })

  test('is no longer than its size, whatever the storage sends', async () => {
    const file = await found()
    at.bucket.onGet = (_, answer) => ({ ...answer, body: Buffer.concat([bytes, bytes]) })
    await fetch(file)
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('is not read from another address that the storage names', async () => {
    const file = await found()
    at.bucket.onGet = () => ({ status: 307, headers: { location: 'http://169.254.169.254/' } })
    await expect(fetch(file)).rejects.toMatchObject({ code: 'address_not_allowed' })
  })

  test.each(["a b+c&ü'(1)!*%41.csv", '🧮.csv', 'a?b#c;d.csv', '..hidden.csv', 'a//b.csv'])(
    'named %s is fetched, and its name is no path of ours',
    async (name) => {
      const file = await found(bytes, name)
      await fetch(file)
      expect(readFileSync(path).equals(bytes)).toBe(true)
      expect(readdirSync(at.folder)).not.toContain(name)
    },
  )

  test('ends with its signal', async () => {
    const file = await found()
    at.bucket.onGet = (_, answer) => ({ ...answer, cutAt: 1 })
    const ended = { signal: AbortSignal.timeout(300), onBytes: () => undefined }
    await expect((await at.bills()).fetch(file, path, ended)).rejects.toThrow(/abort|timeout/i)
    expect(existsSync(path)).toBe(true)
  })
})
