import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationOf, building } from '../harness/git/application-of.ts'
import { eventually, gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring } from './recorded-history.ts'
import { historyClient, writeHistory } from './write-history.ts'

// Not a test: see record-histories.ts. Runs of applications, each with an end of its own.
let harness: GitHarness
let processes: Processes
let client: Client
let owner: TestUser
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, {
    worker: false,
    env: { CC_KEYRING: historyKeyring },
  })
  processes = await processesOf(harness, {
    CC_PRIVATE_HOSTS: `git=127.0.0.1:${harness.peer.server.port}`,
  })
  await processes.startWorker()
  client = await historyClient(harness)
  owner = await (await harness.organization()).user('Owner')
})
afterAll(async () => {
  await client.connection.close()
  await processes.close()
  await harness.close()
})

const started = async (script: string) =>
  (await applicationOf(harness, owner, building(script))).run({ start: true })
const keep = async (name: string, run: Awaited<ReturnType<typeof started>>) => {
  const shown = await eventually(async () => {
    const now = await run.shown()
    return now.state !== 'running' && now
  })
  await writeHistory(client, name, shown.workflowId)
  return [shown.state, shown.reason]
}

test('application-released', async () => {
  const run = await started('mkdir dist; : > dist/x')
  expect(await keep('application-released', run)).toEqual(['succeeded', null])
})

test('application-failed', async () => {
  const run = await started('exit 1')
  expect(await keep('application-failed', run)).toEqual(['failed', 'build_errored'])
})

test('application-canceled', async () => {
  const run = await started('echo begun; sleep 60')
  await eventually(async () => (await run.lines('build')).includes('begun'))
  expect((await owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
  expect(await keep('application-canceled', run)).toEqual(['canceled', 'canceled_by_user'])
})
