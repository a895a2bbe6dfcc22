import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentHosts, type HostAnswer, type WantedOfHost } from '../harness/deploy/agent-hosts.ts'
import { applicationOf, building, runAt } from '../harness/git/application-of.ts'
import { eventually, gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring } from './recorded-history.ts'
import { historyClient, writeHistory } from './write-history.ts'

// Not a test: see record-histories.ts. Runs of applications, each with an end of its own.
let harness: GitHarness
let processes: Processes
let client: Client
let owner: TestUser
let org: TestOrganization
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
  org = await harness.organization()
  owner = await org.user('Owner')
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

/** A pipeline whose target has two agents, which answer until they are stopped. */
const deployed = async (
  criticality: 'standard' | 'production',
  say?: (host: WantedOfHost) => HostAnswer,
) => {
  const target = await org.workspace({ by: owner, criticality })
  const application = await applicationOf(harness, owner, building('mkdir dist; : > dist/x'))
  const { pipelineId } = application
  await harness.deps.store
    .platform('pipelines')
    .where({ id: pipelineId })
    .update({ targetWorkspaceId: target.id })
  const hosts = agentHosts(harness, { organizationId: org.id, workspaceId: target.id })
  const ids = [await hosts.add('one'), await hosts.add('two')]
  const stop = hosts.work(say)
  const run = async () => {
    const answer = await owner.post(`/api/pipelines/${pipelineId}/run`, {})
    return runAt(owner, pipelineId, answer.json().run.id)
  }
  return { hosts, ids, stop, run }
}
const waits = async (run: Awaited<ReturnType<typeof started>>) =>
  eventually(async () => (await owner.get(run.url)).json().run.awaitingApproval === true)

test('application-deployed and application-rolled-back', async () => {
  let isBad = false
  const { run, stop } = await deployed('standard', ({ wanted, name }) =>
    isBad && wanted === 'deploy' && name === 'two' ? 'switched' : 'ok',
  )
  expect(await keep('application-deployed', await run())).toEqual(['succeeded', null])
  isBad = true
  expect(await keep('application-rolled-back', await run())).toEqual(['failed', 'deploy_errored'])
  await stop()
})

test('application-approved and application-superseded', async () => {
  const { run, stop } = await deployed('production')
  const second = await org.user('Owner')
  const older = await run()
  await waits(older)
  const newer = await run()
  await waits(newer)
  expect((await second.post(`${newer.url}/approve`, {})).statusCode).toBe(200)
  expect(await keep('application-approved', newer)).toEqual(['succeeded', null])
  expect(await keep('application-superseded', older)).toEqual(['canceled', 'superseded'])
  await stop()
})

test('application-deploy-canceled and application-host-lost', async () => {
  let isSilent = true
  const { run, stop, hosts, ids } = await deployed('standard', () => (isSilent ? 'silent' : 'ok'))
  const canceled = await run()
  await eventually(async () => (await hosts.wanted()).length > 0)
  expect((await owner.post(`${canceled.url}/cancel`, {})).statusCode).toBe(200)
  isSilent = false
  expect(await keep('application-deploy-canceled', canceled)).toEqual([
    'failed',
    'canceled_by_user',
  ])
  isSilent = true
  const lost = await run()
  await eventually(async () => (await hosts.wanted()).length > 0)
  await hosts.lose(ids[0] ?? 0)
  expect(await keep('application-host-lost', lost)).toEqual(['failed', 'deploy_errored'])
  await stop()
})
