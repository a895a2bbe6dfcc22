import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, hostsOf } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { git, main, openGitWorld, type GitWorld } from './git-world.ts'

describe.each(hostsOf('githubPeer', 'gitlabPeer'))('authors of changes in %s', (_, makePeer) => {
  let world: GitWorld
  beforeAll(async () => {
    world = await openGitWorld(makePeer)
  })
  afterAll(async () => world?.harness.close())

  test('403: a pusher who commits under a colleague’s name may not approve, and neither may the colleague', async () => {
    const { harness, org, user, connect, workspace } = world
    const [pusher, colleague, other] = [
      await org.user('SRE · Cloud Admin'),
      await org.user('Deployer'),
      await org.user('Deployer'),
    ]
    const { repo, gitConnectionId } = await connect()
    const fields = { gitConnectionId, source: git, path: 'live', criticality: 'production' }
    const ws = await workspace(fields)
    const starter = await org.user('Owner')
    // The first commits have no author here. From now on each commit counts.
    await starter.post(`${ws.url}/plan`)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('configuration_versions')
        .where({ workspaceId: ws.id })
        .update({ unknownAuthor: false }),
    )
    const write = { 'live/main.tf': main('forged') }
    // `git commit --author` and the committer's variables can name any person. The commit has no
    // signature of theirs.
    await harness.peer.edit(repo, { write, email: colleague.email, pusher: pusher.email })
    const { run } = (await starter.post(`${ws.url}/apply`)).json()
    await eventually(
      async () => (await user.get(`${ws.url}/runs/${run.id}`)).json().run.awaitingApproval,
    )
    const url = `/api/pipelines/${ws.pipelineId}/runs/${run.id}/approve`
    expect((await colleague.post(url)).statusCode).toBe(403)
    expect((await other.post(url)).json().code).toBe('forbidden')
    // Bitbucket Cloud does not report who pushed.
    if (harness.peer.product !== 'bitbucket-cloud')
      expect((await pusher.post(url)).json().code).toBe('approver_is_author')
    expect((await user.post(url)).statusCode).toBe(200)
  })

  test('403: a pusher who hides the change behind a large file may not approve', async () => {
    const { harness, org, user, connect, workspace } = world
    const pusher = await org.user('SRE · Cloud Admin')
    const { repo, gitConnectionId } = await connect()
    const fields = { gitConnectionId, source: git, path: 'live', criticality: 'production' }
    const ws = await workspace(fields)
    const starter = await org.user('Owner')
    await starter.post(`${ws.url}/plan`)
    // GitLab compares 50,000 lines. It leaves out the file that is over it, and all that follow in the alphabet.
    const write = { aa: 'x\n', ab: 'x\n'.repeat(50_001), 'live/main.tf': main('hidden') }
    await harness.peer.edit(repo, { write, email: 'nobody@example.com', pusher: pusher.email })
    const { run } = (await starter.post(`${ws.url}/apply`)).json()
    await eventually(
      async () => (await user.get(`${ws.url}/runs/${run.id}`)).json().run.awaitingApproval,
    )
    const url = `/api/pipelines/${ws.pipelineId}/runs/${run.id}/approve`
    expect((await pusher.post(url)).json().code).toBe('approver_is_author')
    expect((await user.post(url)).statusCode).toBe(200)
  })

  test('200: pushes outside the folder add no author, known or unknown', async () => {
    const { harness, org, user, connect, workspace } = world
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
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('configuration_versions')
        .where({ workspaceId: ws.id })
        .update({ unknownAuthor: false }),
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

  test('403: who pushed or wrote a pull request may not approve its plan', async () => {
    const { harness, org, user, connect, workspace } = world
    await user.patch('/api/org/settings', { planApproval: 'unseen' })
    try {
      const [pusher, colleague, other] = [
        await org.user('SRE · Cloud Admin'),
        await org.user('SRE · Cloud Admin'),
        await org.user('SRE · Cloud Admin'),
      ]
      const { repo, gitConnectionId } = await connect()
      const fields = { gitConnectionId, source: git, path: 'live', criticality: 'production' }
      const ws = await workspace(fields)
      await harness.peer.branch(repo, 'main', 'feature')
      await harness.peer.edit(repo, {
        branch: 'feature',
        write: { 'live/main.tf': main('forged') },
        email: colleague.email,
        pusher: pusher.email,
      })
      const pullRequest = await harness.peer.openPull(repo, { from: 'feature' })
      expect((await harness.peer.deliver(repo, { pullRequest })).status).toBe(200)
      const run = await eventually(async () => {
        const { runs } = (await user.get(`${ws.url}/runs`)).json()
        return runs.find((one: { pullRequest: number | null }) => one.pullRequest === pullRequest)
      })
      expect(run.awaitingPlanApproval).toBe(true)
      const approve = async (person: TestUser) => {
        const { configurationSha256 } = run
        const answer = await person.post(`${ws.url}/runs/${run.id}/approve`, {
          configurationSha256,
        })
        return answer.statusCode === 200 ? 'approved' : answer.json().code
      }
      expect(await approve(pusher)).toBe('approver_is_author')
      expect(await approve(colleague)).toBe('approver_is_author')
      expect(await approve(other)).toBe('approved')
    } finally {
      await user.patch('/api/org/settings', { planApproval: 'none' })
    }
  })
})

describe.each(hostsOf('gitlabPeer', 'bitbucketDataCenterPeer'))(
  'the author of a branch that was moved back in %s',
  (_, makePeer) => {
    let world: GitWorld
    beforeAll(async () => {
      world = await openGitWorld(makePeer)
    })
    afterAll(async () => world?.harness.close())

    test('403: a pusher who takes a colleague’s change back may not approve', async () => {
      const { harness, org, user, connect, workspace } = world
      const [pusher, colleague] = [
        await org.user('SRE · Cloud Admin'),
        await org.user('SRE · Cloud Admin'),
      ]
      const { repo, gitConnectionId } = await connect()
      const fields = { gitConnectionId, source: git, path: 'live', criticality: 'production' }
      const ws = await workspace(fields)
      const starter = await org.user('Owner')
      await harness.peer.branch(repo, 'main', 'before')
      const by = { email: colleague.email, signed: true, pusher: colleague.email }
      await harness.peer.edit(repo, { write: { 'live/main.tf': main('guarded') }, ...by })
      await starter.post(`${ws.url}/plan`)
      await harness.peer.edit(repo, {
        onTopOf: 'before',
        write: { 'docs/a.md': 'elsewhere\n' },
        email: 'nobody@example.com',
        pusher: pusher.email,
      })
      const { run } = (await starter.post(`${ws.url}/apply`)).json()
      await eventually(
        async () => (await user.get(`${ws.url}/runs/${run.id}`)).json().run.awaitingApproval,
      )
      const url = `/api/pipelines/${ws.pipelineId}/runs/${run.id}/approve`
      // Bitbucket Cloud does not report who pushed.
      if (harness.peer.product !== 'bitbucket-cloud')
        expect((await pusher.post(url)).json().code).toBe('approver_is_author')
      expect((await user.post(url)).statusCode).toBe(200)
    })
  },
)
