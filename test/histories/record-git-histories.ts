import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  checkConnectionsType,
  hydrateWorkspaceType,
  initializeRepositoryType,
  registerWebhookType,
  takeDeliveryType,
  writeCommentType,
} from '../../workflows/git/contract.ts'
import { controlQueue } from '../../workflows/platform/contract.ts'
import { eventually, gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { processesOf, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'
import { historyKeyring } from './recorded-history.ts'
import { historyClient, writeHistory } from './write-history.ts'

// Not a test: see record-histories.ts. The workflows towards Git hosts, each with both of its ends.
let harness: GitHarness
let processes: Processes
let client: Client
let user: TestUser
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
  user = await (await harness.organization()).user('Owner')
})
afterAll(async () => {
  await client.connection.close()
  await processes.close()
  await harness.close()
})

const connect = async (repo: string) => {
  await harness.peer.createRepository(repo, { 'a.tf': '# a\n' })
  const made = await user.post('/api/git/connections', harness.body(repo))
  expect(made.statusCode, made.body).toBe(201)
  return Number(made.json().connection.id)
}
const statusOf = async (id: number) =>
  (await user.get(`/api/git/connections/${id}`)).json().connection.status

/** The id of the newest workflow of a type, once there is one. */
const newest = async (type: string, part: string) =>
  eventually(async () => {
    const query = `WorkflowType = '${type}'`
    for await (const { workflowId } of client.workflow.list({ query }))
      if (workflowId.includes(part)) return workflowId
    return undefined
  })
const hydrate = async (gitConnectionId: number, name: string) => {
  const { workspace } = (await user.post('/api/workspaces', { name, gitConnectionId })).json()
  const url = `/api/workspaces/${workspace.id}`
  await user.put(`${url}/configuration`, { files: { 'main.tf': '# one\n' } })
  return eventually(async () => {
    const [one] = (await user.get(`${url}/hydrations`)).json().hydrations
    return one?.state === 'queued' ? undefined : one
  })
}

test('initialized, hydrated', async () => {
  const id = await connect('acme/recorded')
  await eventually(async () => (await statusOf(id)) === 'healthy')
  const workflowId = await newest(initializeRepositoryType, `/git-init/${id}/`)
  await writeHistory(client, 'initialized', workflowId)
  const hydration = await hydrate(id, 'recorded')
  expect(hydration.state).toBe('written')
  await writeHistory(client, 'hydrated', await newest(hydrateWorkspaceType, `/${hydration.id}/`))
})

test('initialize-refused, hydrate-refused', async () => {
  const repo = 'acme/refused'
  await harness.peer.createRepository(repo, { 'a.tf': '# a\n' })
  await harness.peer.protect(repo, 'main')
  const { connection } = (await user.post('/api/git/connections', harness.body(repo))).json()
  await eventually(async () => (await statusOf(connection.id)) === 'error')
  const workflowId = await newest(initializeRepositoryType, `/git-init/${connection.id}/`)
  await writeHistory(client, 'initialize-refused', workflowId)

  const id = await connect('acme/taken')
  await harness.peer.edit('acme/taken', { write: { '.cloud-control/owner.json': '{}' } })
  const hydration = await hydrate(id, 'taken')
  expect(hydration).toMatchObject({ state: 'failed', reason: 'git_not_owner' })
  const refused = await newest(hydrateWorkspaceType, `/${hydration.id}/`)
  await writeHistory(client, 'hydrate-refused', refused)
})

test('git-health', async () => {
  const workflowId = 'git-health-recorded'
  const { workflow } = client
  await workflow.execute(checkConnectionsType, { workflowId, taskQueue: controlQueue, args: [] })
  await writeHistory(client, 'git-health', workflowId)
})

test('webhook-registered, delivery-taken, delivery-refused, pull-request-comment', async () => {
  const repo = 'acme/pushed'
  await harness.peer.createRepository(repo, { 'main.tf': '# a\n' })
  const body = harness.body(repo, { repoType: 'application' })
  const { connection } = (await user.post('/api/git/connections', body)).json()
  const connections = harness.deps.store.platform('git_connections').where({ id: connection.id })
  await connections.update({ webhook_state: 'pending' })
  const registered = `org-${user.organizationId}/git-webhook/${connection.id}/recorded`
  await client.workflow.execute(registerWebhookType, {
    workflowId: registered,
    taskQueue: controlQueue,
    args: [{ organizationId: user.organizationId, connectionId: connection.id }],
  })
  await writeHistory(client, 'webhook-registered', registered)

  const source = { kind: 'git' }
  const made = { name: 'pushed', gitConnectionId: connection.id, source }
  expect((await user.post('/api/workspaces', made)).statusCode).toBe(201)
  await harness.peer.deliver(repo, { push: 'main' })
  await writeHistory(client, 'delivery-taken', await newest(takeDeliveryType, '/git-delivery/1'))

  await harness.peer.branch(repo, 'main', 'feature')
  await harness.peer.edit(repo, { branch: 'feature', write: { 'main.tf': '# b\n' } })
  const pullRequest = await harness.peer.openPull(repo, { from: 'feature' })
  await harness.peer.deliver(repo, { pullRequest })
  await writeHistory(client, 'pull-request-comment', await newest(writeCommentType, '-begun'))

  await harness.peer.edit(repo, { write: { 'main.tf': '# c\n' } })
  harness.peer.revoke(String(body['token']))
  await harness.peer.deliver(repo, { push: 'main' })
  await writeHistory(client, 'delivery-refused', await newest(takeDeliveryType, '/git-delivery/3'))
})
