import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBillPlaces, type BillPlaces } from '../../../activities/finops/bill-places.ts'
import { removeOldFolders } from '../../../activities/finops/bill-folder.ts'
import { discoverBills } from '../../../activities/finops/discover-bills.ts'
import { nextSources } from '../../../activities/finops/next-sources.ts'
import { takeBill } from '../../../activities/finops/take-bill.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { focusCsv } from '../../harness/finops/focus-csv.ts'
import { billReading, ingestSteps, type BillReading } from '../../harness/finops/ingest-steps.ts'
import { waitingUpload } from '../../harness/finops/waiting-upload.ts'

// What attempts at a bill leave on the worker's disk, and what of it counts towards the room of the disk.

let harness: Harness
let reading: BillReading
let steps: Awaited<ReturnType<typeof ingestSteps>>
beforeAll(async () => {
  harness = await createHarness()
  reading = await billReading(harness)
})
afterAll(async () => {
  await reading?.close()
  await harness?.close()
})
beforeEach(async () => {
  steps = await ingestSteps(harness, reading)
  steps.cloud.months = { '2026-09': focusCsv('2026-09', [3, 4, 5]) }
})

async function begunBill() {
  const input = await steps.begin()
  const { sourceIds } = await steps.deliver(nextSources, input)
  const at = { ...input, sourceId: sourceIds[0] ?? 0 }
  const { sliceIds } = await steps.deliver(discoverBills, at)
  return { ...at, sliceId: sliceIds[0] ?? 0 }
}

const folders = async () =>
  (await readdir(reading.billingDir)).filter((name) =>
    name.startsWith(`org-${steps.organizationId}-`),
  )

async function bytesOnDisk(): Promise<number> {
  const [name = ''] = await folders()
  const files = join(reading.billingDir, name, 'files')
  const sizes = (await readdir(files)).map(async (file) => (await stat(join(files, file))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Places whose only bill counts `held.bytes`. */
function countedPlaces() {
  const places = createBillPlaces({ readers: 1, billBytes: 1024 ** 3 })
  const held = { bytes: 0, left: new Map<string, number>() }
  const billPlaces: BillPlaces = {
    ...places,
    disk: {
      hold(folder, bytes) {
        held.bytes = bytes
        const own = places.disk.hold(folder, bytes)
        const add = (more: number) => {
          held.bytes += more
          own.add(more)
        }
        const leave = () => {
          held.left.set(folder, held.bytes)
          own.leave()
        }
        return { ...own, add, leave }
      },
      forget(folder) {
        held.left.delete(folder)
        places.disk.forget(folder)
      },
    },
  }
  return { held, billPlaces }
}

const failing = (kind: CloudFault['kind']) => () => {
  throw new CloudFault(kind, 'The storage of the test says no.')
}

test.each(['denied', 'excluded', 'credentials', 'unreachable'] as const)(
  'a fetch that its storage ends with %s leaves nothing',
  async (kind) => {
    const bill = await begunBill()
    steps.cloud.afterFetch = failing(kind)
    await expect(steps.deliver(takeBill, bill)).rejects.toMatchObject({ fault: 'conflict' })
    expect(steps.cloud.fetched).not.toEqual([])
    expect(await folders()).toEqual([])
  },
)

test.each([
  ['a file that the cloud writes for each reading', true],
  ['a file that is begun anew by its storage', false],
])('%s counts once, in each attempt and between them', async (_, unloads) => {
  steps.cloud.unloads = unloads
  const bill = await begunBill()
  const { held, billPlaces } = countedPlaces()
  steps.cloud.afterFetch = failing('throttled')
  for (const _attempt of [1, 2]) {
    const taking = steps.deliver(takeBill, bill, { billPlaces })
    await expect(taking).rejects.toMatchObject({ code: 'cloud_throttled' })
    expect(held.bytes).toBe(await bytesOnDisk())
    expect(held.bytes).toBeGreaterThan(0)
    expect([...held.left.values()]).toEqual([held.bytes])
  }
  await removeOldFolders(
    reading.billingDir,
    async () => [],
    (folder) => billPlaces.disk.forget(folder),
  )
  expect([await folders(), held.left.size]).toEqual([[], 0])
})

test('a file of an upload counts once, in each attempt', async () => {
  steps.cloud.months = {}
  const content = focusCsv('2026-09', [3, 4, 5])
  const { uploadId } = await waitingUpload(harness, steps.organizationId, { source: 'dc', content })
  const input = await steps.begin('upload')
  const [source] = (await steps.shown(input.ingestId)).sources
  const at = { ...input, sourceId: source?.sourceId ?? 0 }
  await steps.deliver(discoverBills, at)
  const { held, billPlaces } = countedPlaces()
  const readBills = async () => {
    throw new Error('The reader of the test is lost.')
  }
  for (const _attempt of [1, 2]) {
    const taking = steps.deliver(takeBill, { ...at, uploadId }, { billPlaces, readBills })
    await expect(taking).rejects.toThrow('The reader of the test is lost.')
    expect([held.bytes, await bytesOnDisk()]).toEqual([content.length, content.length])
  }
})

test('the tries of one attempt count a file once', async () => {
  const bill = await begunBill()
  const { held, billPlaces } = countedPlaces()
  let tries = 0
  let bytes = 0
  steps.cloud.afterFetch = async () => {
    bytes = await bytesOnDisk()
    if ((tries += 1) < 3) throw new CloudFault('unreachable', 'The storage of the test broke off.')
  }
  expect(await steps.deliver(takeBill, bill, { billPlaces })).toMatchObject({ outcome: 'loaded' })
  expect([tries, held.bytes]).toEqual([3, bytes])
})
