import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLeash, type Leash } from '../../engines/leash.ts'
import type { Part } from '../../engines/watch-part.ts'
import { sessionCookieOf } from '../../api/http/https.ts'
import { startNodePart } from '../../scripts/start/start-node-part.ts'
import { createHarness, freePort, type Harness } from '../harness/create-harness.ts'
import { environmentOf } from '../harness/processes.ts'

let harness: Harness
let leash: Leash
let api: Part
let address: string
beforeAll(async () => {
  harness = await createHarness()
  leash = createLeash()
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  api = await startNodePart({
    name: 'api',
    script: 'api/server.ts',
    root: join(import.meta.dirname, '../..'),
    dataDir: harness.config.dataDir,
    env: { ...environmentOf(harness), CC_PORT: String(port), CC_METRICS_PORT: '0' },
    leash,
    say: () => undefined,
    signal: new AbortController().signal,
    address,
  })
})
afterAll(async () => {
  await api?.stop()
  leash?.close()
  await harness?.close()
})

test('kill -9 of the API: the spare one answers in its place, and the session goes on', async () => {
  const { dataDir } = harness.config
  const sparePid = () =>
    readdirSync(join(dataDir, 'run'))
      .map((name) => Number(/^api-(\d+)\.pid$/.exec(name)?.[1] ?? 0))
      .find((pid) => pid > 0 && pid !== api.pid())
  const owner = await (await harness.organization()).user('Owner')
  const headers = { cookie: `${sessionCookieOf(harness.config)}=${owner.cookie}` }
  const me = async () => (await fetch(`${address}/api/auth/me`, { headers })).status

  for (let turn = 1; turn <= 2; turn += 1) {
    expect(await me()).toBe(200)
    const spare = sparePid()
    expect(spare).toBeGreaterThan(0)
    process.kill(api.pid() ?? 0, 'SIGKILL')
    await expect.poll(async () => me().catch(() => 0), { timeout: 30_000 }).toBe(200)
    expect(api.pid()).toBe(spare)
  }
})
