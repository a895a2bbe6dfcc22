import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Knex } from 'knex'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectOwner } from '../../store/driver/connect.ts'
import { waitForSchema } from '../../worker/wait-for-schema.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { environmentOf } from '../harness/processes.ts'

let harness: Harness
let owner: Knex
let newest: string
beforeAll(async () => {
  harness = await createHarness()
  owner = connectOwner(harness.config.databaseUrl)
  const names: string[] = await owner('schema_migrations').orderBy('name').pluck('name')
  newest = names.at(-1) ?? ''
})
afterAll(async () => {
  await owner?.destroy()
  await harness?.close()
})

const remove = async () => owner('schema_migrations').where({ name: newest }).delete()
const add = async (name = newest) => owner('schema_migrations').insert({ name })

/** The wait of a worker that starts now. */
function start() {
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  const { platform } = harness.deps.store
  let isOver = false
  const over = waitForSchema({ platform, log }, { everyMs: 10 }).then(() => void (isOver = true))
  return { logged: () => logged.join(''), isOver: () => isOver, over }
}

test('a worker waits for the newest migration, and says so once', async () => {
  await remove()
  const worker = start()
  await expect.poll(worker.logged).toContain(newest)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(worker.isOver()).toBe(false)
  expect(worker.logged().match(/waits for the migrations/g)).toHaveLength(1)
  await add()
  await worker.over
})

test('without a table of migrations it waits too', async () => {
  await owner.raw('alter table schema_migrations rename to hidden_migrations')
  const worker = start()
  await expect.poll(worker.logged).toContain('waits for the migrations')
  expect(worker.isOver()).toBe(false)
  await owner.raw('alter table hidden_migrations rename to schema_migrations')
  await worker.over
})

test('it does not wait for migrations of a newer version', async () => {
  await add('9999-of-a-newer-version')
  const worker = start()
  await worker.over
  expect(worker.logged()).toBe('')
  await owner('schema_migrations').where({ name: '9999-of-a-newer-version' }).delete()
})

test('SIGTERM ends a worker that waits', async () => {
  await remove()
  const root = join(import.meta.dirname, '../..')
  const child = spawn(process.execPath, [join(root, 'worker/main.ts')], {
    cwd: root,
    env: environmentOf(harness),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit')
  try {
    await expect.poll(() => said, { timeout: 60_000 }).toContain(newest)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(said).not.toContain('"msg":"running"')
  } finally {
    child.kill('SIGKILL')
    await add()
  }
})
