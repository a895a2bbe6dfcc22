import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Bills } from '../../../../gateways/clouds/cloud.ts'
import { openedClouds } from '../../../harness/clouds/opened-clouds.ts'
import {
  type ScriptedAzure,
  startScriptedAzure,
  subscription,
  tenant,
} from '../../../harness/clouds/scripted-azure.ts'
import { scriptedContainer } from '../../../harness/clouds/scripted-blobs.ts'

const clientId = '11111111-2222-3333-4444-555555555555'
const credentials = { tenantId: tenant, clientId, clientSecret: 'the-client-secret' }
const billing = { storageAccount: 'bills', container: 'exports', directory: 'costs' }
let signal: AbortSignal
beforeEach(() => {
  signal = AbortSignal.timeout(60_000)
})
const range = '20261001-20261031'
const run = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

describe('the bill of an Azure account', () => {
  let azure: ScriptedAzure
  let container = scriptedContainer('exports')
  const folder = mkdtempSync(join(tmpdir(), 'bills-'))
  beforeAll(async () => {
    azure = await startScriptedAzure()
    const { answer } = azure.cloud
    azure.cloud.answer = (request) =>
      request.path.startsWith('/exports') ? container.answer(request) : answer(request)
  })
  beforeEach(() => {
    azure.reset()
    container = scriptedContainer('exports')
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await azure.cloud.stop()
  })
  const open = openedClouds({ provider: 'azure', accountId: subscription, credentials })
  const billsOf = async (more: object = {}): Promise<Bills> => {
    const bills = (await open(azure.cloud, { billing: { ...billing, ...more } })).bills?.()
    if (!bills) throw new Error('no bill')
    return bills
  }
  const find = async () => (await billsOf()).find(signal)
  const put = (root: string, files: Record<string, string>, more: object = {}, at?: Date) => {
    const blobs = Object.entries(files).map(([name, body]) => {
      container.put(`${root}/${name}`, body, at)
      return { blobName: `${root}/${name}`, byteCount: body.length, dataRowCount: 10 }
    })
    const exportConfig = { exportName: 'focus', type: 'FocusCost', dataVersion: '1.0' }
    const manifest = { blobCount: blobs.length, dataRowCount: 20, exportConfig, blobs, ...more }
    container.put(`${root}/manifest.json`, manifest, at)
  }

  test('is the newest run of each month, with the rows that its manifest promises', async () => {
    const day = (n: number) => new Date(Date.UTC(2026, 9, n))
    put(`costs/focus/${range}/${run(1)}`, { 'part_0.parquet': 'old' }, {}, day(1))
    put(
      `costs/focus/${range}/${run(2)}`,
      { 'part_1.parquet': 'b', 'part_0.parquet': 'a' },
      {},
      day(2),
    )
    container.put(`costs/focus/${range}/${run(3)}/part_0.parquet`, 'not yet whole')
    put(`costs/focus/20260901-20260930/${run(1)}`, { 'part_0.csv.gz': 'c' })
    // Of a week and of a year: no month.
    put(`costs/focus/20261101-20271031/${run(1)}`, { 'part_0.parquet': 'd' })
    put(`costs/focus/20261108-20261114/${run(1)}`, { 'part_0.parquet': 'd' })
    const found = await find()
    expect(found.map(({ period, state }) => `${period} ${state}`)).toEqual([
      '2026-10 ready',
      '2026-09 ready',
    ])
    expect(found[0]).toMatchObject({
      rows: 20,
      manifest: `costs/focus/${range}/${run(2)}/manifest.json`,
      files: [{ key: `costs/focus/${range}/${run(2)}/part_0.parquet`, size: 1 }, { size: 1 }],
    })
    expect(
      azure.cloud.asked.find(({ path }) => path.startsWith('/exports'))?.headers.authorization,
    ).toBe('Bearer the-access-token')
  })

  test('may have the name of the export, or the time of the run, elsewhere in its path', async () => {
    put(`costs/${range}/focus/202610020000/${run(2)}`, { 'part_0.csv': 'x' })
    expect(await find()).toMatchObject([
      { period: '2026-10', state: 'ready', files: [{ size: 1 }] },
    ])
  })

  test('of several exports is the one of FOCUS; of two of FOCUS, neither', async () => {
    const actual = { exportConfig: { exportName: 'actual', type: 'ActualCost' } }
    put(`costs/actual/${range}/${run(1)}`, { 'part_0.csv': 'not this' }, actual)
    put(`costs/focus/${range}/${run(1)}`, { 'part_0.csv': 'x' })
    put(`costs-old/focus/${range}/${run(1)}`, { 'part_0.csv': 'x' })
    expect(await find()).toMatchObject([{ state: 'ready', files: [{ size: 1 }] }])
    put(`costs/focus-b/${range}/${run(1)}`, { 'part_0.csv': 'x' })
    expect(await find()).toMatchObject([
      { state: 'waiting', reason: expect.stringMatching(/several exports.*billing\.directory/) },
    ])
  })

  test.each([
    ['is cut off', '{"blobs": [', /cut off/],
    ['has no blobs', {}, /no blobs/],
    ['names fewer than there are', { blobCount: 2, blobs: [] }, /0 of 2/],
    [
      'names what is not there',
      { blobs: [{ blobName: 'costs/gone.csv' }] },
      /gone\.csv, which is not there/,
    ],
    [
      'names another size',
      { blobs: [{ blobName: `costs/focus/${range}/${run(1)}/a`, byteCount: 9 }] },
      /not there/,
    ],
    [
      'counts no row',
      { dataRowCount: 0, blobs: [{ blobName: `costs/focus/${range}/${run(1)}/a`, byteCount: 1 }] },
      /^The export has no charges yet\.$/,
    ],
  ])('waits with a manifest that %s', async (_, manifest, reason) => {
    container.put(`costs/focus/${range}/${run(1)}/a`, 'x')
    container.put(`costs/focus/${range}/${run(1)}/manifest.json`, manifest)
    expect(await find()).toMatchObject([
      { state: 'waiting', reason: expect.stringMatching(reason) },
    ])
  })

  test('a blob is fetched, taken up where it broke off, and noticed when it was replaced', async () => {
    const body = 'x'.repeat(2_000_000)
    put(`costs/focus/${range}/${run(1)}`, { 'a b+c&ü.csv': body })
    const bills = await billsOf()
    const file = (await bills.find(signal))[0]?.files[0]
    if (!file) throw new Error('not found')
    let cuts = 2
    container.onGet = (_, answer) => ((cuts -= 1) >= 0 ? { ...answer, cutAt: 700_000 } : answer)
    await bills.fetch(file, join(folder, 'a'), { signal, onBytes: () => undefined })
    expect(readFileSync(join(folder, 'a'), 'utf8') === body).toBe(true)
    expect(cuts).toBe(-1)
    container.put(file.key, body)
    const again = bills.fetch(file, join(folder, 'b'), { signal, onBytes: () => undefined })
    await expect(again).rejects.toMatchObject({ kind: 'changed' })
  })

  test('is read by a SAS or a key without a token of the account', async () => {
    put(`costs/focus/${range}/${run(1)}`, { a: 'x' })
    const key = 'AccountName=bills;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net'
    for (const more of [{ sasToken: '?sv=2023&sig=a%2Bb' }, { connectionString: key }]) {
      azure.reset()
      expect(await (await billsOf(more)).find(signal)).toMatchObject([{ state: 'ready' }])
      const asked = azure.cloud.asked.map(({ headers }) => headers.authorization ?? 'none')
      expect(new Set(asked.map((text) => text.split(' ')[0]))).toEqual(
        new Set(['sasToken' in more ? 'none' : 'SharedKey']),
      )
    }
  })

  test('that redirects to a private address, or is not there, is a fault', async () => {
    container.answer = () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } })
    await expect(find()).rejects.toMatchObject({ code: 'address_not_allowed' })
    container = scriptedContainer('other')
    await expect(find()).rejects.toThrow(/billing\.container/)
  })
})
