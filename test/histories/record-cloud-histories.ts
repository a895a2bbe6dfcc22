import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syncAccountId } from '../../workflows/clouds/contract.ts'
import { readyAccount, readyPages, type ReadyPages } from '../harness/clouds/ready-pages.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { eventually } from '../harness/eventually.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring } from './recorded-history.ts'
import { historyClient, writeHistory } from './write-history.ts'

// Not a test: see record-histories.ts. The sync of a cloud account, with both of its ends, and
// one whose place is looked at for longer than one step may.
let harness: Harness
let processes: Processes
let client: Client
let owner: TestUser
let cloud: ReadyPages
let port: number
beforeAll(async () => {
  cloud = readyPages(250)
  cloud.server.listen(0, '127.0.0.1')
  await once(cloud.server, 'listening')
  // A server that listens on a port has an address of this kind.
  ;({ port } = cloud.server.address() as AddressInfo)
  const hosts = { CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${port}` }
  harness = await createHarness({ env: { CC_KEYRING: historyKeyring, ...hosts } })
  processes = await processesOf(harness, hosts)
  await processes.startWorker()
  client = await historyClient(harness)
  owner = await (await harness.organization()).user('Owner')
})
afterAll(async () => {
  await client.connection.close()
  await processes.close()
  await harness.close()
  cloud.server.close()
})

test('cloud-synced, cloud-synced-slowly, cloud-sync-failed', async () => {
  const made = await owner.post('/api/cloud/accounts', {
    provider: 'aws',
    name: 'recorded',
    accountId: readyAccount,
    credentials: { accessKeyId: 'AKIAAAAAAAAAAAAAAAAA', secretAccessKey: 'a'.repeat(40) },
    endpoint: `http://127.0.0.1:${port}`,
    regions: ['us-east-1'],
  })
  const url = `/api/cloud/accounts/${made.json().account.id}`
  const slow = () => {
    cloud.fill(400)
    cloud.beforePage = async () => sleep(21_000)
  }
  const refuse = () => {
    cloud.refuses = true
  }
  for (const [name, state, begin] of [
    ['cloud-synced', 'succeeded', () => undefined],
    ['cloud-synced-slowly', 'succeeded', slow],
    ['cloud-sync-failed', 'failed', refuse],
  ] as const) {
    begin()
    const { sync } = (await owner.post(`${url}/sync`)).json()
    await eventually(async () => {
      const one = (await owner.get(`${url}/syncs/${sync.id}`)).json().sync
      return one.state !== 'running' && (expect(one.state).toBe(state), true)
    })
    const input = { organizationId: owner.organizationId, syncId: sync.id }
    await writeHistory(client, name, syncAccountId(input))
  }
})
