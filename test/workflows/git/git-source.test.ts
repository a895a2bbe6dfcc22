import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, hostsOf } from '../../harness/git/git-harness.ts'
import { git, main, openGitWorld, type GitWorld } from './git-world.ts'

describe.each(hostsOf('githubPeer', 'bitbucketCloudPeer'))(
  'a workspace whose files are in %s',
  (_, makePeer) => {
    let world: GitWorld
    beforeAll(async () => {
      world = await openGitWorld(makePeer)
    })
    afterAll(async () => world?.harness.close())

    const ended = async (url: string, id: number) =>
      eventually(async () => {
        const { run } = (await world.user.get(`${url}/runs/${id}`)).json()
        return run.state !== 'running' && run
      })

    test('201: a run reads the folder at the branch’s head, and names the commit', async () => {
      const { harness, user, connect, workspace } = world
      const { repo, gitConnectionId } = await connect({
        'live/main.tf': `module "m" {\n  source = "../modules/m"\n}\n`,
        'modules/m/main.tf': main('m'),
        'docs/big.md': 'not ours\n',
      })
      const ws = await workspace({
        gitConnectionId,
        source: { ...git, include: ['modules'] },
        path: 'live',
      })
      expect(ws.source).toEqual({ kind: 'git', include: ['modules'] })
      const { run } = (await user.post(`${ws.url}/plan`)).json()
      expect(run.commitSha).toMatch(/^[0-9a-f]{40}$/)
      const { configuration } = (await user.get(`${ws.url}/configuration`)).json()
      expect(configuration).toMatchObject({
        number: 1,
        source: 'git',
        commitSha: run.commitSha,
        fileNames: ['live/main.tf', 'modules/m/main.tf'],
      })
      expect(await ended(ws.url, run.id)).toMatchObject({
        state: 'succeeded',
        summary: { add: 1, change: 0, destroy: 0 },
      })

      // The same commit, or a commit outside the folder, is the same version.
      const again = (await user.post(`${ws.url}/plan`)).json().run
      expect([again.configurationVersion, again.commitSha]).toEqual([1, run.commitSha])
      await harness.peer.edit(repo, { write: { 'docs/big.md': 'more\n' } })
      expect((await user.post(`${ws.url}/plan`)).json().run.configurationVersion).toBe(1)

      await harness.peer.edit(repo, { write: { 'modules/m/main.tf': main('n') } })
      const next = (await user.post(`${ws.url}/plan`)).json().run
      expect(next.configurationVersion).toBe(2)
      expect(next.commitSha).not.toBe(run.commitSha)
      const events = await harness.events(user, 'workspace.configuration_updated')
      expect(events.at(-1)?.detail).toMatchObject({ branch: 'main', commit: next.commitSha })
    })

    test('the commit is part of the digest: a revert is a new version', async () => {
      const { harness, user, connect, workspace } = world
      const { repo, gitConnectionId } = await connect()
      const ws = await workspace({ gitConnectionId, source: git, path: 'live' })
      const version = async () => {
        const { run } = (await user.post(`${ws.url}/plan`)).json()
        const { configuration } = (await user.get(`${ws.url}/configuration`)).json()
        expect(configuration.number).toBe(run.configurationVersion)
        return configuration
      }
      const one = await version()
      await harness.peer.edit(repo, { write: { 'live/main.tf': main('b') } })
      await version()
      await harness.peer.edit(repo, { write: { 'live/main.tf': main('a') } })
      const three = await version()
      expect([three.number, three.files]).toEqual([3, one.files])
      expect(three.sha256).not.toBe(one.sha256)
    })

    test('a run names the commit of its files, with what that commit says of itself', async () => {
      const { harness, user, connect, workspace } = world
      const { repo, gitConnectionId } = await connect()
      const ws = await workspace({ gitConnectionId, source: git, path: 'live' })
      const message = `Widen the network\n\n\u001b[31m${'x'.repeat(5_000)}`
      await harness.peer.edit(repo, { write: { 'live/main.tf': main('wide') }, message })
      const { run } = (await user.post(`${ws.url}/plan`)).json()
      expect(run.commit).toMatchObject({ sha: run.commitSha, author: expect.stringMatching(/\w/) })
      expect(run.commit.message).toMatch(/^Widen the network\n/)
      expect(run.commit.message).not.toContain('\u001b')
      expect(run.commit.message.length).toBeLessThanOrEqual(4_000)
      const { runs } = (await user.get(`/api/runs?workspaceId=${ws.id}`)).json()
      expect(runs[0].commit).toEqual(run.commit)
      const inline = await workspace({})
      await user.put(`${inline.url}/configuration`, { files: { 'main.tf': main('a') } })
      const other = (await user.post(`${inline.url}/plan`)).json().run
      expect(other.commitSha).toBeNull()
      expect(other.commit).toBeUndefined()
    })

    test('the next run reads another folder of the same commit after the source has changed', async () => {
      const { user, connect, workspace } = world
      const { gitConnectionId } = await connect({ 'a/main.tf': main('a'), 'b/main.tf': main('b') })
      const ws = await workspace({ gitConnectionId, source: git, path: 'a' })
      await user.post(`${ws.url}/plan`)
      expect((await user.patch(ws.url, { path: 'b' })).statusCode).toBe(200)
      await user.post(`${ws.url}/plan`)
      const { configuration } = (await user.get(`${ws.url}/configuration`)).json()
      expect([configuration.number, configuration.fileNames]).toEqual([2, ['b/main.tf']])
    })

    test('400: the error names a missing branch, folder or repository, and an empty repository', async () => {
      const { harness, user, newName, connect, workspace } = world
      const { repo, gitConnectionId } = await connect()
      const empty = `acme/${newName('empty')}`
      await harness.peer.createRepository(empty)
      for (const [fields, code] of [
        [{ source: { ...git, branch: 'nope' }, path: 'live' }, 'git_branch_not_found'],
        [{ source: git, path: 'elsewhere' }, 'git_folder_not_found'],
        [{ source: { ...git, repo: 'acme/never' }, path: 'live' }, 'git_repository_not_found'],
        [{ source: { ...git, repo: empty }, path: '' }, 'git_repository_empty'],
      ] as const) {
        const ws = await workspace({ gitConnectionId, ...fields })
        const answer = await user.post(`${ws.url}/apply`)
        expect([answer.statusCode, answer.json().code], JSON.stringify(fields)).toEqual([400, code])
        expect((await user.get(`${ws.url}/runs`)).json().runs).toEqual([])
      }
      await harness.peer.edit(repo, { write: { 'live/terraform.tfstate': '{}' } })
      const ws = await workspace({ gitConnectionId, source: git, path: 'live' })
      const state = await user.post(`${ws.url}/plan`)
      expect([state.statusCode, state.json().details[0].path]).toEqual([
        400,
        'files["live/terraform.tfstate"]',
      ])
    })

    test('400, 403, 404 and 409: invalid sources are refused, and so is a PUT of files from Git', async () => {
      const { harness, org, user, connect, workspace } = world
      const { repo, gitConnectionId } = await connect()
      const other = await (await harness.organization()).user('Owner')
      const post = async (fields: object, by = user) => {
        const { statusCode, body } = await by.post('/api/workspaces', { name: 'x', ...fields })
        return [statusCode, JSON.parse(body).details?.[0]?.path]
      }
      expect(await post({ source: git })).toEqual([400, 'gitConnectionId'])
      expect(await post({ gitConnectionId })).toEqual([400, 'gitConnectionId'])
      expect(await post({ gitConnectionId, source: git }, other)).toEqual([404, undefined])
      const source = (more: object) => ({ gitConnectionId, source: { ...git, ...more } })
      expect(await post(source({ branch: 'a..b' }))).toEqual([400, 'source.branch'])
      expect(await post(source({ include: ['../up'] }))).toEqual([400, 'source.include'])
      expect(await post(source({ repo: 'x' }))).toEqual([400, 'source.repo'])
      // A connection serves its own repository only. A Deployer may not read other repositories with
      // its token.
      const deployer = await org.user('Deployer')
      expect(await post(source({ repo: 'acme/secrets' }), deployer)).toEqual([403, undefined])
      const ws = await workspace({ gitConnectionId, source: git, path: 'live' })
      const led = await deployer.patch(ws.url, { source: { ...git, repo: 'acme/secrets' } })
      expect(led.statusCode).toBe(403)
      expect((await deployer.patch(ws.url, { source: { ...git, repo } })).statusCode).toBe(200)
      const put = await user.put(`${ws.url}/configuration`, { files: { 'live/main.tf': '#' } })
      expect([put.statusCode, put.json().code]).toEqual([409, 'source_is_git'])
      await user.delete(`/api/git/connections/${gitConnectionId}`)
      const gone = await user.post(`${ws.url}/plan`)
      expect([gone.statusCode, gone.json().code]).toEqual([409, 'not_connected'])
      expect((await user.patch(ws.url, { name: `${ws.name}-renamed` })).statusCode).toBe(200)
    })

    test('503: an unreachable host starts no run', async () => {
      const { harness, user, connect, workspace } = world
      const { gitConnectionId } = await connect()
      const ws = await workspace({ gitConnectionId, source: git, path: 'live' })
      harness.peer.server.fault = () => 'hang-up'
      const away = await user.post(`${ws.url}/apply`).finally(() => {
        harness.peer.server.fault = () => undefined
      })
      expect(away.statusCode).toBe(503)
      expect(away.body).not.toMatch(/ECONN|127\.0\.0\.1|socket/)
      expect((await user.get(`${ws.url}/runs`)).json().runs).toEqual([])
    })

    test('403: a committer is an author, and a Deployer may not approve an unknown author’s commit', async () => {
      const { harness, org, user, connect, workspace } = world
      const [starter, coder, deployer] = [
        await org.user('Owner'),
        await org.user('Deployer'),
        await org.user('Deployer'),
      ]
      const { repo, gitConnectionId } = await connect()
      const ws = await workspace({
        gitConnectionId,
        source: git,
        path: 'live',
        criticality: 'production',
      })
      const waiting = async () => {
        const { run } = (await starter.post(`${ws.url}/apply`)).json()
        await eventually(
          async () => (await user.get(`${ws.url}/runs/${run.id}`)).json().run.awaitingApproval,
        )
        return `/api/pipelines/${ws.pipelineId}/runs/${run.id}`
      }
      // The first commit has an unknown author.
      const first = await waiting()
      expect((await deployer.post(`${first}/approve`)).json().code).toBe('forbidden')
      expect((await user.post(`${first}/approve`)).statusCode).toBe(200)
      await eventually(
        async () => (await user.get(`${ws.url}`)).json().workspace.lastRun?.state === 'succeeded',
      )
      const { email } = coder
      await harness.peer.edit(repo, {
        write: { 'live/main.tf': main('b') },
        email: email.toUpperCase(),
        signed: true,
        pusher: email,
      })
      const second = await waiting()
      // Where the host proves no authors, the author is unknown, and the answer reports that first.
      const proves = harness.peer.provider !== 'bitbucket'
      expect((await coder.post(`${second}/approve`)).json().code).toBe(
        proves ? 'approver_is_author' : 'forbidden',
      )
      const { run } = (await deployer.get(`${ws.url}/runs/${second.split('/').at(-1)}`)).json()
      expect(run.mayApprove).toBe(proves)
      // An unknown author's commit below the newest commit still counts.
      await harness.peer.edit(repo, { write: { 'live/main.tf': main('c') } })
      await user.post(`${second}/reject`)
      await user.post(`${ws.url}/plan`)
      await harness.peer.edit(repo, {
        write: { 'live/main.tf': main('d') },
        email,
        signed: true,
        pusher: email,
      })
      const third = await waiting()
      expect((await deployer.post(`${third}/approve`)).json().code).toBe('forbidden')
      expect((await user.post(`${third}/approve`)).statusCode).toBe(200)
    })
  },
)
