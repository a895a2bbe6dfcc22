import { readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billFolder, type BillFolder } from './bills.ts'

let bills: BillFolder
beforeAll(async () => {
  bills = await billFolder()
})
afterAll(async () => bills.close())

describe('a hostile file costs its reader at most', () => {
  test('Parquet with changed bytes is read or refused by its name, and the next bill is read', async () => {
    const path = await bills.write('fuzz.parquet', {}, 2_000)
    const whole = await readFile(path)
    // The same bytes each time: a failure can be looked at.
    let seed = 7
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 8; round += 1) {
      const bytes = Buffer.from(whole)
      // Half of them in the footer, where lengths and offsets are.
      const footer = round % 2 === 0 ? whole.readUInt32LE(whole.length - 8) : whole.length - 12
      for (let change = 0; change < 1 + round; change += 1)
        bytes[whole.length - 9 - next(footer)] = next(256)
      await writeFile(path, bytes)
      const answer = await bills.read(['fuzz.parquet'], { limits: { timeoutMs: 60_000 } })
      if (answer.kind === 'refused')
        for (const { file } of answer.errors) expect(file).toBe('bills/fuzz.parquet')
    }
    await writeFile(path, whole)
    expect(await bills.read(['fuzz.parquet'])).toMatchObject({ kind: 'read' })
  }, 600_000)

  test('a file that unpacks to more than one may is refused before it is read to its end', async () => {
    const path = await bills.write('rows.csv', {}, 100)
    const [header = '', line = ''] = (await readFile(path, 'utf8')).split('\n')
    const unpacked = `${header}\n${`${line}\n`.repeat(50_000)}`
    const packed = gzipSync(unpacked)
    expect(unpacked.length / packed.length).toBeGreaterThan(100)
    await writeFile(bills.path('bomb.csv.gz'), packed)

    const limits = { unpackedBytes: 1024 ** 2 }
    expect(await bills.read(['bomb.csv.gz'], { limits })).toEqual({
      kind: 'refused',
      rejected: 1,
      errors: [
        {
          file: 'bills/bomb.csv.gz',
          row: null,
          column: null,
          message: 'The file unpacks to more bytes than one may have',
        },
      ],
    })
    expect(await bills.read(['bomb.csv.gz'])).toMatchObject({
      kind: 'read',
      slices: [{ rowsRead: 50_000, rows: 1 }],
    })
  })

  test('a line without end', async () => {
    const path = await bills.write('header.csv', {}, 1)
    const [header = ''] = (await readFile(path, 'utf8')).split('\n')
    await writeFile(bills.path('line.csv.gz'), gzipSync(`${header}\n${'0'.repeat(64 * 1024 ** 2)}`))
    expect(await bills.read(['line.csv.gz'])).toMatchObject({
      kind: 'refused',
      errors: [{ file: 'bills/line.csv.gz' }],
    })
  })

  test('limits of bytes, time and memory each name the file', async () => {
    await bills.write('large.csv.gz', { ResourceId: `'i-' || md5(CAST(i AS VARCHAR))` }, 100_000)
    const messageWith = async (limits: object) => {
      const answer = await bills.read(['large.csv.gz'], { limits })
      if (answer.kind !== 'refused') throw new Error('It was read')
      expect(answer.errors[0]?.file).toBe('bills/large.csv.gz')
      return answer.errors[0]?.message
    }
    expect(await messageWith({ bytes: 1_000 })).toMatch(/more than the 1 MiB/)
    expect(await messageWith({ timeoutMs: 300 })).toMatch(/longer to be read/)
    expect(await messageWith({ memoryBytes: 150 * 1024 ** 2, scratchBytes: 1024 ** 2 })).toMatch(
      /more (memory|room)/,
    )
  })

  test('a reader that is to stop stops, and says why', async () => {
    await bills.write('stop.csv.gz', {}, 50_000)
    const stop = new AbortController()
    const reading = bills.read(['stop.csv.gz'], { signal: stop.signal })
    stop.abort(new Error('the worker closes'))
    await expect(reading).rejects.toThrow('the worker closes')
  })
})
