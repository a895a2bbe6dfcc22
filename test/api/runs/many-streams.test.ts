import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { streamLimits } from '../../../api/runs/log-streams.ts'
import { logLines } from '../../../store/runs/log-lines.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import type { TestUser } from '../../harness/test-user.ts'

/** Long, because the test's machine may be busy. */
const soon = { timeout: 30_000 }

let harness: Harness
beforeAll(async () => {
  // Without a worker the run does not change, and its log has only the lines that a test writes.
  harness = await createHarness()
})
afterAll(async () => harness.close())

async function made() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const run = await startRun(owner, workspace)
  const url = `${workspace.url}/runs/${run.id}/logs?stage=plan`
  const { store } = harness.deps
  const [stage] = await store.platform('stages').where({ workspaceRunId: run.id, name: 'plan' })
  const write = async (lines: readonly string[]) =>
    store.tenant(org.id, async (tenant) =>
      logLines(tenant).append(
        stage.id,
        lines.map((line) => ({ level: 'info' as const, line })),
      ),
    )
  const end = async () => {
    await store.platform('stages').where({ id: stage.id }).update({ state: 'succeeded' })
    await store.platform.raw(`select pg_notify('cc_run', ?)`, [String(run.id)])
  }
  return { org, owner, url, write, end }
}

// Closes the streams of a failed test too, so that the next test is below the limit.
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})

/** A stream that reads nothing until `read` is called. */
async function open(user: Pick<TestUser, 'cookie'>, url: string, credential?: string) {
  const socket: Socket = connect(harness.config.port, '127.0.0.1')
  sockets.add(socket)
  let text = ''
  socket.on('error', () => undefined)
  socket.write(
    `GET ${url} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n${credential ?? `cookie: cc_session=${user.cookie}`}\r\n\r\n`,
  )
  const status = await new Promise<number>((resolve) => {
    const onData = (chunk: Buffer) => {
      text += chunk.toString()
      const found = /^HTTP\/1.1 (\d+)/.exec(text)?.[1]
      if (!found) return
      socket.off('data', onData)
      socket.pause()
      resolve(Number(found))
    }
    socket.on('data', onData)
  })
  return {
    status,
    head: text,
    read() {
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      socket.resume()
    },
    ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    text: () => text,
    /** Whether the service has sent the `end` event. */
    isOver: () => text.includes('\r\n0\r\n\r\n'),
    close: () => socket.destroy(),
  }
}

/** Bytes that are still reachable. The resident set also has what nobody has collected yet. */
function heldMemory(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

type Stream = Awaited<ReturnType<typeof open>>

test('429: more than 20 streams of one person are refused, and closing one allows another', async () => {
  const { owner, url } = await made()
  const streams: Stream[] = []
  for (let n = 0; n < streamLimits.caller; n += 1) streams.push(await open(owner, url))
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))

  const refused = await open(owner, url)
  refused.read()
  await expect.poll(refused.text, soon).toContain('"code":"too_many_streams"')
  expect([refused.status, /retry-after: (\d+)/i.exec(refused.text())?.[1]]).toEqual([429, '10'])
  expect(refused.text()).toContain('20 log streams')
  // Another credential of the same person has the same limit.
  const byToken = await open(owner, url, `authorization: Bearer ${await owner.token('Viewer')}`)
  expect(byToken.status).toBe(429)
  // The log can still be read by pages.
  expect((await owner.get(url)).statusCode).toBe(200)

  streams.pop()?.close()
  await expect
    .poll(async () => {
      const again = await open(owner, url)
      streams.push(again)
      return again.status
    }, soon)
    .toBe(200)
})

test('700 unread streams: 150 of two organizations are open, a third one has its own, and they use neither pool connections nor much memory', async () => {
  const places = [await made(), await made()]
  // 4 MB a log is more than the sockets buffer, 200 times.
  const lines = Array.from({ length: 1_000 }, () => 'x'.repeat(4_000))
  for (const { write } of places) await write(lines)
  const streams: Stream[] = []
  const before = heldMemory()
  for (const { org, url } of places)
    for (let person = 0; person < 5; person += 1) {
      const user = await org.user('Viewer')
      const opening = Array.from({ length: streamLimits.caller }, async () => open(user, url))
      streams.push(...(await Promise.all(opening)))
    }
  const opened = streams.filter(({ status }) => status === 200)
  expect([streams.length, opened.length]).toEqual([200, 150])

  const [third, quiet] = [await made(), await made()]
  const others = Promise.all(Array.from({ length: 500 }, async () => open(third.owner, third.url)))
  const took: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const since = performance.now()
    expect((await quiet.owner.get('/api/workspaces')).statusCode).toBe(200)
    took.push(performance.now() - since)
  }
  const ofThird = (await others).filter(({ status }) => status === 200)
  // Before the statuses: a stream that ended gives its place to another, and the log says why.
  expect(
    harness
      .logged()
      .split('\n')
      .filter((line) => line.includes('ended early')),
  ).toEqual([])
  expect(ofThird).toHaveLength(streamLimits.caller)
  // The limit is high for a busy machine. An exhausted pool would take a minute.
  expect(took.toSorted((a, b) => a - b)[10]).toBeLessThan(500)
  // The unread streams have 4 MB of lines each, of which a page of 128 KiB may be in memory: 25 MiB.
  expect(heldMemory() - before).toBeLessThan(60 * 1024 ** 2)
}, 120_000)

test('one reader serves all listeners of a stage, without gaps, up to the end event', async () => {
  const { owner, url, write, end } = await made()
  await write(['first'])
  const streams: Stream[] = []
  for (let n = 0; n < 15; n += 1) streams.push(await open(owner, url))
  for (const stream of streams) stream.read()
  await expect.poll(() => streams.every((stream) => stream.ids().length === 1), soon).toBe(true)

  const tenant = vi.spyOn(harness.deps.store, 'tenant')
  for (let n = 0; n < 5; n += 1) {
    await write(['a', 'b'])
    await expect.poll(() => streams.every((one) => one.ids().length === 3 + 2 * n), soon).toBe(true)
  }
  // The test writes five times, and each write causes one or two reads. A reader per stream would
  // read 15 times as often.
  expect(tenant.mock.calls.length).toBeLessThan(30)
  tenant.mockRestore()
  await end()
  await expect
    .poll(() => streams.every((one) => one.text().includes('event: end')), soon)
    .toBe(true)
  for (const stream of streams)
    expect(stream.ids()).toEqual(Array.from({ length: 11 }, (_, n) => n + 1))
})

test('a listener that falls behind reads the log by itself, without gaps', async () => {
  const { owner, url, write, end } = await made()
  const [quick, slow] = [await open(owner, url), await open(owner, url)]
  quick.read()
  // 12 MB is more than the sockets and the shared buffer hold.
  for (let n = 0; n < 12; n += 1) await write(Array.from({ length: 250 }, () => 'y'.repeat(4_000)))
  await expect.poll(() => quick.ids().length, soon).toBe(3_000)
  slow.read()
  await end()
  const every = Array.from({ length: 3_000 }, (_, n) => n + 1)
  await expect.poll(() => slow.text().includes('event: end'), soon).toBe(true)
  expect(slow.ids()).toEqual(every)
  expect(quick.ids()).toEqual(every)
}, 90_000)

test('a stream that opens while the access of the others is checked stays open', async () => {
  const [first, second] = [await made(), await made()]
  await open(first.owner, first.url)
  const { platform } = harness.deps.store
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const real = platform.raw.bind(platform)
  const check = vi.spyOn(platform, 'raw').mockImplementation((async (sql: string, at: never) => {
    const found = await real(sql, at)
    if (!sql.includes('c.revoked_at is null and c.expires_at > now()')) return found
    asked.resolve()
    await answer.promise
    return found
  }) as unknown as typeof real)
  await asked.promise
  const opened = await open(second.owner, second.url)
  opened.read()
  answer.resolve()
  check.mockRestore()
  await second.write(['on it goes'])
  await expect.poll(() => opened.ids().length, soon).toBe(1)
  // Beyond the check that was answered, and one more.
  await sleep(3_000)
  expect(opened.isOver()).toBe(false)
}, 90_000)

test('a log that cannot be read: its streams close without an end event, and other streams stay open', async () => {
  const [broken, other] = [await made(), await made()]
  await broken.write(Array.from({ length: 1_000 }, () => 'z'.repeat(4_000)))
  // One stream waits for its reader to fail, the other for its socket to drain.
  const [idle, unread] = [
    await open(broken.owner, broken.url),
    await open(broken.owner, broken.url),
  ]
  const fine = await open(other.owner, other.url)
  for (const stream of [idle, fine]) stream.read()
  await expect.poll(() => idle.ids().length, soon).toBe(1_000)

  const { store } = harness.deps
  const real = store.tenant.bind(store)
  const tenant = vi
    .spyOn(store, 'tenant')
    .mockImplementation(async (id, work) =>
      id === broken.org.id ? Promise.reject(new Error('the database is away')) : real(id, work),
    )
  await expect.poll(idle.isOver, soon).toBe(true)
  expect(idle.text()).not.toContain('event: end')
  unread.read()
  await expect.poll(unread.isOver, soon).toBe(true)
  tenant.mockRestore()
  await other.write(['on it goes'])
  await expect.poll(() => fine.ids().length, soon).toBe(1)
  const again = await open(broken.owner, broken.url)
  again.read()
  await expect.poll(() => again.ids().length, soon).toBe(1_000)
}, 90_000)
