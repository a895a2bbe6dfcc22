import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionOptions } from '../../gateways/temporal/connection-options.ts'
import { scaffoldFiles } from '../../domain/git/scaffold.ts'
import { eventually, gitHarness, peerMakers, type GitHarness } from '../harness/git/git-harness.ts'
import { processesOf, type Process, type Processes } from '../harness/processes.ts'
import type { TestUser } from '../harness/test-user.ts'

const marker = '.cloud-control/owner.json'
const count = 3
const kills = 4
const tokens: string[] = []

// `kill -9` of the worker at requests that nobody chose, while repositories are prepared and hydrated.
let harness: GitHarness
let processes: Processes
let user: TestUser
let said = ''
beforeAll(async () => {
  harness = await gitHarness(peerMakers.githubPeer, { worker: false })
  const { port } = harness.peer.server
  processes = await processesOf(harness, { CC_PRIVATE_HOSTS: `git=127.0.0.1:${port}` })
  user = await (await harness.organization()).user('Owner')
})
afterAll(async () => {
  await processes.close()
  await harness.close()
})

/** Kills the worker at every so many requests, and puts a new one in its place. */
async function killAgainAndAgain(first: Process): Promise<void> {
  let worker = first
  for (let killed = 0; killed < kills; killed += 1) {
    const at = harness.peer.server.calls.length + 7 + killed * 5
    await eventually(async () => harness.peer.server.calls.length >= at, 20).catch(() => undefined)
    await worker.kill()
    said += worker.said()
    worker = await processes.startWorker()
  }
}

const prepareAndHydrate = async (index: number) => {
  const repo = `acme/killed-${index}`
  await harness.peer.createRepository(repo, { 'other.txt': 'theirs\n' })
  const commits = (await harness.peer.messages(repo)).length
  const body = harness.body(repo)
  tokens.push(String(body['token']))
  const { connection } = (await user.post('/api/git/connections', body)).json()
  const name = `killed-${index}`
  const made = await user.post('/api/workspaces', { name, gitConnectionId: connection.id })
  const url = `/api/workspaces/${made.json().workspace.id}`
  for (const text of ['# one\n', '# two\n'])
    await user.put(`${url}/configuration`, { files: { 'main.tf': text, 'b/c.tf': '# c\n' } })
  return { repo, name, url, commits, connection }
}

test('what was begun ends in the right tree, each commit once, and no token is told', async () => {
  const worker = await processes.startWorker()
  const work = Promise.all(
    Array.from({ length: count }, async (_, index) => prepareAndHydrate(index)),
  )
  await killAgainAndAgain(worker)
  for (const { repo, name, url, commits, connection } of await work) {
    await eventually(async () => {
      const { hydrations } = (await user.get(`${url}/hydrations`)).json()
      return hydrations[0].state === 'written' && hydrations[1].state !== 'queued'
    }, 240)
    await eventually(
      async () =>
        (await user.get(`/api/git/connections/${connection.id}`)).json().connection.status ===
        'healthy',
      60,
    )
    const { [marker]: owned = '{}', ...tree } = await harness.peer.tree(repo)
    expect(JSON.parse(owned)).toMatchObject({ connection: connection.id, branch: 'main' })
    expect(tree).toEqual({
      ...scaffoldFiles,
      'other.txt': 'theirs\n',
      [`workspaces/${name}/main.tf`]: '# two\n',
      [`workspaces/${name}/b/c.tf`]: '# c\n',
    })
    const messages = (await harness.peer.messages(repo)).slice(0, -commits)
    // Marker, scaffold, and one a version; the older version may have been passed over.
    expect(new Set(messages).size, messages.join('\n--\n')).toBe(messages.length)
    expect(messages.length).toBeLessThanOrEqual(4)
  }
  const { entries } = (await user.get('/api/audit?limit=200&event=git.repo_written')).json()
  const versions = entries.map(
    (entry: { target: { label: string }; detail: { configurationVersion: number } }) =>
      `${entry.target.label} ${entry.detail.configurationVersion}`,
  )
  expect(new Set(versions).size).toBe(versions.length)

  await processes.close()
  const told = said + harness.logged() + (await histories())
  expect(told).toContain('hydrateWorkspace')
  for (const token of tokens) expect(told.includes(token)).toBe(false)
}, 900_000)

/** All that the engine keeps, payloads decoded. */
async function histories(): Promise<string> {
  const { config } = harness
  const connection = await Connection.connect(connectionOptions(config))
  const client = new Client({ connection, namespace: config.temporal.namespace })
  let text = ''
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    text += JSON.stringify(history, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    )
  }
  await connection.close()
  return text
}
