import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { withSplitState } from '../../../gateways/states/split-state.ts'

/** The processes that this one started to split states. */
function splitting(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isSplitter(name))
    .map(Number)
}

function isSplitter(pid: string): boolean {
  try {
    const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return parent === String(process.pid) && command.includes('split-state-process')
  } catch {
    return false
  }
}

const soon = { timeout: 20_000, interval: 20 }
async function endAll(): Promise<void> {
  for (const pid of splitting()) process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(splitting()).toEqual([]), soon)
}
beforeEach(endAll)
afterAll(endAll)

/** Too large to be split in this process. */
const state = (length: number, lineage = 'one') =>
  JSON.stringify({
    version: 4,
    serial: 1,
    lineage,
    outputs: { long: { value: 'x'.repeat(length), type: 'string' } },
    resources: [],
  })

/** The lineage and the bytes of all parts. */
async function split(organizationId: number, body: string) {
  const bytes = (async function* () {
    yield Buffer.from(body)
  })()
  return withSplitState({ organizationId, bytes }, {}, async ({ header, parts }) => {
    let length = 0
    for await (const part of parts) length += part.bytes.length
    return { lineage: header.lineage, length }
  })
}

async function refuse(organizationId: number, body: string) {
  const bytes = (async function* () {
    yield Buffer.from(body)
  })()
  return withSplitState({ organizationId, bytes }, {}, async () => {
    throw new Error('another lineage')
  })
}

test('states of one organization that follow each other are split by one process', async () => {
  expect(await split(1, state(100_000))).toMatchObject({ lineage: 'one' })
  const first = splitting()
  expect(first).toHaveLength(1)
  const { length } = await split(1, state(200_000, 'two'))
  expect(length).toBeGreaterThan(200_000)
  expect(await split(1, state(100_000, 'three'))).toMatchObject({ lineage: 'three' })
  expect(splitting()).toEqual(first)
})

test('of two organizations each has a process of its own, and at most four wait', async () => {
  await split(1, state(100_000))
  const [first] = splitting()
  await split(2, state(100_000))
  expect(splitting()).toHaveLength(2)
  for (const id of [3, 4, 5]) await split(id, state(100_000))
  await vi.waitFor(() => {
    expect(splitting()).toHaveLength(4)
    // The one that waited longest.
    expect(splitting()).not.toContain(first)
  }, soon)
})

test('after a small state that was refused by its header its process splits the next one', async () => {
  await expect(refuse(1, state(500_000))).rejects.toThrow('another lineage')
  const first = splitting()
  expect(first).toHaveLength(1)
  // Its parts are read to their end meanwhile.
  await sleep(500)
  const { length } = await split(1, state(100_000, 'two'))
  expect(length).toBeLessThan(200_000)
  expect(splitting()).toEqual(first)
})

test('a state that comes at once after one whose parts nobody read is split by the same process', async () => {
  await expect(refuse(1, state(900_000))).rejects.toThrow('another lineage')
  const first = splitting()
  expect(first).toHaveLength(1)
  // The parts of the first are still on their way.
  expect(await split(1, state(100_000, 'two'))).toMatchObject({ lineage: 'two' })
  expect(splitting()).toEqual(first)
})

test('after a large state that was refused its process is ended', async () => {
  await expect(refuse(1, state(4_000_000))).rejects.toThrow('another lineage')
  await vi.waitFor(() => expect(splitting()).toEqual([]), soon)
})

test('a text that is no state is refused, and its process splits the next one', async () => {
  await expect(split(1, 'x'.repeat(100_000))).rejects.toMatchObject({ code: 'invalid_state' })
  const first = splitting()
  expect(first).toHaveLength(1)
  expect(await split(1, state(100_000))).toMatchObject({ lineage: 'one' })
  expect(splitting()).toEqual(first)
})

test('a process that nobody needs for five seconds is ended', async () => {
  await split(1, state(100_000))
  await sleep(3_000)
  expect(splitting()).toHaveLength(1)
  await vi.waitFor(() => expect(splitting()).toEqual([]), soon)
})

test('a process that is needed again and again stays', async () => {
  await split(1, state(100_000))
  const first = splitting()
  for (const _ of [1, 2, 3]) {
    await sleep(2_500)
    await split(1, state(100_000))
  }
  expect(splitting()).toEqual(first)
})

test('a process that was ended while it waited is replaced', async () => {
  await split(1, state(100_000))
  const [first = 0] = splitting()
  process.kill(first, 'SIGKILL')
  // The kernel has ended it. This process may not have been told.
  await vi.waitFor(() => expect(splitting()).toEqual([]), soon)
  expect(await split(1, state(100_000))).toMatchObject({ lineage: 'one' })
  expect(splitting()).not.toContain(first)
})
