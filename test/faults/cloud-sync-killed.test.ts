import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import {
  readyAccount,
  readyArn,
  readyPages,
  type ReadyPages,
} from '../harness/clouds/ready-pages.ts'
import { eventually } from '../harness/eventually.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'

// A worker as a process of its own is killed at random moments of syncs, while the API lives.
const count = 12_000
const kills = 10

let harness: Harness
let processes: Processes
let admin: TestUser
let cloud: ReadyPages
let port: number
beforeAll(async () => {
  cloud = readyPages(count)
  cloud.server.listen(0, '127.0.0.1')
  await once(cloud.server, 'listening')
  // A server that listens on a port has an address of this kind.
  ;({ port } = cloud.server.address() as AddressInfo)
  const env = { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${port}` }
  harness = await createHarness({ env })
  processes = await processesOf(harness, env)
  admin = await (await harness.organization()).user('Owner')
})
afterAll(async () => {
  await processes.close()
  await harness.close()
  cloud.server.close()
})

test('kill -9 of the worker at ten random moments: nothing is lost and nothing is there twice', async () => {
  const made = await admin.post('/api/cloud/accounts', {
    provider: 'aws',
    name: 'killed',
    accountId: readyAccount,
    credentials: { accessKeyId: 'AKIAAAAAAAAAAAAAAAAA', secretAccessKey: 'a'.repeat(40) },
    endpoint: `http://127.0.0.1:${port}`,
    regions: ['us-east-1'],
  })
  expect(made.statusCode, made.body).toBe(201)
  const url = `/api/cloud/accounts/${made.json().account.id}`
  const sync = async (id?: number) => {
    const { syncs } = (await admin.get(`${url}/syncs`)).json()
    return syncs.find((one: { id: number }) => id === undefined || one.id === id)
  }
  /** Ends the sync; meanwhile the worker is killed at random moments. */
  const killed = async (times: number) => {
    let worker = await processes.startWorker()
    const { id } = (await admin.post(`${url}/sync`)).json().sync
    for (let n = 0; n < times; n += 1) {
      await sleep(200 + Math.random() * 3_000)
      await worker.kill()
      worker = await processes.startWorker()
    }
    const ended = await eventually(
      async () => {
        const one = await sync(id)
        return one.state === 'running' ? undefined : one
      },
      { looks: 4_000 },
    )
    await worker.stop()
    return ended
  }
  // Slow enough to be killed in the middle of its pages.
  cloud.beforePage = async () => sleep(60)
  const first = await killed(kills / 2)
  expect(first).toMatchObject({ state: 'succeeded', seen: count, added: count, gone: 0 })

  // The second finds a third changed, some gone and some new.
  cloud.fill(count - 500, (n) => (n % 3 === 0 ? { changed: 'yes' } : {}))
  const second = await killed(kills / 2)
  expect(second).toMatchObject({ state: 'succeeded', seen: count - 500, added: 0, gone: 500 })
  expect(second.changed).toBe(Math.ceil((count - 500) / 3))

  const present = await harness.deps.store
    .platform('cloud_resources')
    .where({ state: 'present' })
    .select('cloudId')
  const rows = present.map(({ cloudId }) => String(cloudId))
  expect(rows).toHaveLength(count - 500)
  expect(new Set(rows)).toEqual(new Set(Array.from({ length: count - 500 }, (_, n) => readyArn(n))))
  expect(await harness.deps.store.platform('cloud_resource_pages')).toEqual([])
}, 900_000)
