import type { Client } from '@temporalio/client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { outboxQueue } from '../../store/platform/outbox-queue.ts'
import { startOutboxRelay } from '../../worker/outbox-relay.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  // Without a worker nothing is delivered but what a test delivers.
  harness = await createHarness()
})
afterAll(async () => harness.close())
afterEach(async () => {
  await rows().delete()
})

const rows = () => harness.deps.store.platform('outbox')
const queue = () => outboxQueue(harness.deps.store.platform)

let counter = 0
const unique = () => `k${(counter += 1)}`

/** An organization that queues starts, each of a workflow of its own, and wakes, as `outbox` does. */
async function teller() {
  const { id: organizationId } = await harness.organization()
  const queued = async (count: number, row: () => object) =>
    rows().insert(
      Array.from({ length: count }, () => ({ organizationId, dedupeKey: unique(), ...row() })),
    )
  return {
    id: organizationId,
    starts: async (count: number) =>
      queued(count, () => ({
        kind: 'start',
        workflowType: 'any',
        workflowId: `org-${organizationId}/${unique()}`,
        taskQueue: 'control',
        args: '[]',
      })),
    wakes: async (workflowId: string, count: number) =>
      queued(count, () => ({ kind: 'signal', workflowId, signalName: 'decided' })),
  }
}

/** Those of which rows are claimed, and how many. */
const claimed = async (limit: number, underWay: readonly number[] = []) => {
  const counts: Record<number, number> = {}
  for (const { organizationId } of await queue().claim(limit, underWay))
    counts[organizationId ?? 0] = (counts[organizationId ?? 0] ?? 0) + 1
  return counts
}

test('the first row of each organization goes first, and no organization takes all places', async () => {
  const many = await teller()
  await many.starts(60)
  const few = await teller()
  await few.starts(2)
  expect(await claimed(2)).toEqual({ [many.id]: 1, [few.id]: 1 })
  // Two of the first are under way still.
  expect(await claimed(1, [many.id, many.id])).toEqual({ [few.id]: 1 })
  expect(await claimed(50, [many.id, many.id])).toEqual({ [many.id]: 18 })
  const all = Array.from({ length: 20 }, () => many.id)
  expect(await claimed(50, all)).toEqual({})
  // A row of no organization waits behind none.
  await rows().insert({ kind: 'signal', workflowId: 'w', signalName: 's', dedupeKey: unique() })
  expect(await claimed(1, all)).toEqual({ 0: 1 })
})

test('rows of one workflow stay in order; a signal covers those behind it, and none that is queued later', async () => {
  const org = await teller()
  const workflowId = `org-${org.id}/${unique()}`
  await org.wakes(workflowId, 600)
  await org.starts(1)
  const first = await queue().claim(50, [])
  expect(first.map(({ kind, covers }) => [kind, covers.length])).toEqual([
    ['signal', 599],
    ['start', 0],
  ])
  // By the relay of another worker, too.
  expect(await queue().claim(50, [])).toEqual([])
  await org.wakes(workflowId, 1)
  for (const row of first) await queue().done(row)
  const second = await queue().claim(50, [])
  expect(second.map(({ covers }) => covers.length)).toEqual([0])
  for (const row of second) await queue().done(row)
  expect(await rows().whereNull('doneAt')).toEqual([])
})

test('a start covers no signal: its workflow may run already, and have read the store', async () => {
  const org = await teller()
  await org.starts(1)
  const { workflowId } = await rows().first('workflowId')
  await org.wakes(workflowId, 1)
  const [start] = await queue().claim(50, [])
  expect(start).toMatchObject({ kind: 'start', covers: [] })
  if (start) await queue().done(start)
  expect(await queue().claim(50, [])).toMatchObject([{ kind: 'signal', workflowId }])
})

test('two relays that claim at once never claim the same row', async () => {
  const tellers = await Promise.all([teller(), teller(), teller()])
  for (const one of tellers) await one.starts(10)
  const claims = await Promise.all(Array.from({ length: 4 }, async () => queue().claim(12, [])))
  const ids = claims.flat().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (;;) {
    const rest = await queue().claim(12, [])
    if (rest.length === 0) break
    ids.push(...rest.map(({ id }) => id))
  }
  expect(new Set(ids).size).toBe(30)
  expect(ids).toHaveLength(30)
})

test('starts that Temporal does not answer hold up no other organization', async () => {
  const stuck = await teller()
  await stuck.starts(120)
  const released = Promise.withResolvers<void>()
  const told: number[] = []
  // What the relay calls of it.
  const client = {
    withDeadline: async (_: number, call: () => Promise<void>) => call(),
    workflow: {
      async start(_: string, { workflowId }: { workflowId: string }) {
        const organizationId = Number(/^org-(\d+)/.exec(workflowId)?.[1])
        if (organizationId === stuck.id) await released.promise
        else told.push(organizationId)
      },
    },
  } as unknown as Client
  const relay = startOutboxRelay({ ...harness.deps, client })
  await expect
    .poll(async () => rows().where('attempts', '>', 0), { timeout: 20_000 })
    .toHaveLength(20)
  // Queued one after the other, while all that the first organization may have under way hangs.
  const expected: number[] = []
  for (let count = 0; count < 3; count += 1) {
    const other = await teller()
    await other.starts(1)
    expected.push(other.id)
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(expected)
  }
  expect(await rows().where('attempts', '>', 0)).toHaveLength(23)
  await rows().where({ attempts: 0 }).delete()
  released.resolve()
  await relay.stop()
})

test('only refusals in a row count: what was tried during an outage is not given up at its first refusal', async () => {
  const { starts } = await teller()
  await starts(1)
  const tried = async (isRefused: boolean) => {
    const [row] = await rows()
      .update({ availableAt: new Date(0) })
      .returning('id')
    const [claimedRow] = await queue().claim(1, [])
    if (!claimedRow || !row) throw new Error('nothing was claimed')
    await queue().failed(claimedRow, { error: 'none', isRefused })
    return rows().first('attempts', 'deadAt')
  }
  await rows().update({ attempts: 400 })
  expect(await tried(false)).toEqual({ attempts: 6, deadAt: null })
  expect(await tried(true)).toEqual({ attempts: 7, deadAt: null })
  await rows().update({ attempts: 250 })
  expect((await tried(true)).deadAt).not.toBeNull()
})
