import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBillReader, type BillReader } from '../../../gateways/duckdb/create-bill-reader.ts'
import { duckdbRefusal } from '../../../gateways/duckdb/program/duckdb-refusal.ts'
import { BillTooLarge, DiskFull } from '../../../gateways/duckdb/program/protocol.ts'
import { findCommand } from '../../../gateways/sandbox/find-command.ts'
import { billFolder, type BillFolder } from './bills.ts'

const written = (reason: string) =>
  duckdbRefusal({ key: 'bill' }, new Error(`IO Error: Could not write file "/a": ${reason}`))

test('a full disk is no refusal of the files; a limit of their reader is', () => {
  for (const reason of ['No space left on device', 'Disk quota exceeded'])
    expect(written(reason)).toBeInstanceOf(DiskFull)
  for (const code of ['ENOSPC', 'EDQUOT'])
    expect(duckdbRefusal({ key: 'bill' }, Object.assign(new Error('write'), { code }))).toEqual(
      new DiskFull(),
    )
  const spilled = new Error(
    `Out of Memory Error: failed to offload data block of size 256.0 KiB (1.0 MiB/1.0 MiB used).
     This limit was set by the 'max_temp_directory_size' setting.`,
  )
  expect(duckdbRefusal({ key: 'bill' }, spilled)).toBeInstanceOf(BillTooLarge)
  expect(written('File too large')).toBeInstanceOf(BillTooLarge)
  const full = new DiskFull()
  expect(duckdbRefusal({ key: 'bill' }, full)).toBe(full)
})

const mayMount = process.getuid?.() === 0 && canMount()

describe.skipIf(!mayMount)('on a small disk', () => {
  let bills: BillFolder
  let reader: BillReader
  let disk: string
  beforeAll(async () => {
    bills = await billFolder()
    disk = mkdtempSync(join(tmpdir(), 'cc-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=711', 'tmpfs', disk])
    const config = {
      sandbox: findCommand('bwrap') ? ('bubblewrap' as const) : ('process' as const),
      dataDir: disk,
      billingWorkDir: disk,
      production: false,
      apiUrl: 'http://127.0.0.1:9',
    }
    const log = { info: () => undefined, warn: () => undefined }
    reader = await createBillReader(config, { slots: 1, log })
  })
  afterAll(async () => {
    await reader?.close()
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
    await bills?.close()
  })

  test.each([
    ['a file that is unpacked', 'unpacked.csv.gz', 20_000],
    ['charges that are written', 'written.parquet', 20_000],
  ])('%s fills it, which a later look may not', async (_, name, lines) => {
    const columns = {
      ResourceId: `'i-' || i`,
      ResourceName: `repeat('name-', 40)`,
      ChargePeriodStart: `TIMESTAMP '2026-09-01'`,
      ChargePeriodEnd: `TIMESTAMP '2026-09-02'`,
    }
    const path = await bills.write(name, columns, lines)
    const request = {
      files: [{ path, key: `bills/${name}` }],
      tagAliases: {},
      limits: { bytes: 1024 ** 3 },
      outFolder: bills.path('.'),
    }
    const filler = join(disk, 'filler')
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 2 * 1024 ** 2))
    try {
      await expect(reader.readBills(request)).rejects.toMatchObject({ code: 'bill_disk_full' })
    } finally {
      rmSync(filler)
    }
    expect(await reader.readBills(request)).toMatchObject({ slices: [{ rows: lines }] })
  })
})

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'cc-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
