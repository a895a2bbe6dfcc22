import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  eventually,
  gitHarness,
  peerMakers,
  type GitHarness,
} from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

const main = (word: string) => `resource "terraform_data" "one" { input = "${word}" }\n`

describe.each(Object.entries(peerMakers))('who changed what is in %s', (_, makePeer) => {
  let harness: GitHarness
  let org: TestOrganization
  let user: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(makePeer)
    org = await harness.organization()
    user = await org.user('Owner')
  })
  afterAll(async () => harness.close())

  const connect = async (files: Record<string, string> = { 'live/main.tf': main('a') }) => {
    counter += 1
    const repo = `acme/code-${counter}`
    await harness.peer.createRepository(repo, files)
    const made = await user.post(
      '/api/git/connections',
      harness.body(repo, { repoType: 'application' }),
    )
    expect(made.statusCode, made.body).toBe(201)
    return { repo, gitConnectionId: Number(made.json().connection.id) }
  }
  const workspace = async (fields: Record<string, unknown>) => {
    counter += 1
    const made = await user.post('/api/workspaces', { name: `code-${counter}`, ...fields })
    expect(made.statusCode, made.body).toBe(201)
    return { ...made.json().workspace, url: `/api/workspaces/${made.json().workspace.id}` }
  }
  const git = { kind: 'git' }
  test('403: whoever pushes in a colleague’s name approves nothing of it', async () => {
    const [pusher, colleague, other] = [
      await org.user('SRE · Cloud Admin'),
      await org.user('Deployer'),
      await org.user('Deployer'),
    ]
    const { repo, gitConnectionId } = await connect()
    const fields = { gitConnectionId, source: git, path: 'live', criticality: 'production' }
    const ws = await workspace(fields)
    const starter = await org.user('Owner')
    // What was there before is nobody's here; from now on each commit counts.
    await starter.post(`${ws.url}/plan`)
    await harness.deps.store.tenant(org.id, async (db) =>
      db('configuration_versions').where({ workspaceId: ws.id }).update({ unknownAuthor: false }),
    )
    const write = { 'live/main.tf': main('forged') }
    // `git commit --author` and the committer's variables name anybody; no key of theirs has signed it.
    await harness.peer.edit(repo, { write, email: colleague.email, pusher: pusher.email })
    const { run } = (await starter.post(`${ws.url}/apply`)).json()
    await eventually(
      async () => (await user.get(`${ws.url}/runs/${run.id}`)).json().run.awaitingApproval,
    )
    const url = `/api/pipelines/${ws.pipelineId}/runs/${run.id}/approve`
    expect((await colleague.post(url)).statusCode).toBe(403)
    expect((await other.post(url)).json().code).toBe('forbidden')
    // Bitbucket Cloud tells nobody who pushed.
    if (harness.peer.product !== 'bitbucket-cloud')
      expect((await pusher.post(url)).json().code).toBe('approver_is_author')
    expect((await user.post(url)).statusCode).toBe(200)
  })

  test('200: pushes beside the folder make nobody an author, nor their author unknown', async () => {
    if (harness.peer.provider === 'bitbucket') return
    const [coder, deployer] = [await org.user('Deployer'), await org.user('Deployer')]
    const { repo, gitConnectionId } = await connect()
    const ws = await workspace({
      gitConnectionId,
      source: git,
      path: 'live',
      criticality: 'production',
    })
    const starter = await org.user('Owner')
    await starter.post(`${ws.url}/plan`)
    await harness.deps.store.tenant(org.id, async (db) =>
      db('configuration_versions').where({ workspaceId: ws.id }).update({ unknownAuthor: false }),
    )
    await harness.peer.edit(repo, { write: { 'docs/a.md': 'by a stranger\n' } })
    await harness.peer.edit(repo, {
      write: { 'live/main.tf': main('mine') },
      email: coder.email,
      signed: true,
      pusher: coder.email,
    })
    await harness.peer.edit(repo, { write: { 'docs/b.md': 'by a stranger\n' } })
    const { run } = (await starter.post(`${ws.url}/apply`)).json()
    await eventually(
      async () => (await user.get(`${ws.url}/runs/${run.id}`)).json().run.awaitingApproval,
    )
    const seen = async (person: TestUser) =>
      (await person.get(`${ws.url}/runs/${run.id}`)).json().run
    expect(await seen(coder)).toMatchObject({
      mayApprove: false,
      because: { mayApprove: 'approver_is_author' },
    })
    expect((await seen(deployer)).mayApprove).toBe(true)
  })
})
