import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureWebhook } from '../../../activities/git/ensure-webhook.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { eventually, gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Without a worker, the activity is called as Temporal would call it, several at the same time.
describe.each(hostsOf('githubPeer', 'gitlabPeer'))(
  'webhooks that are registered at the same time at %s',
  (_, makePeer) => {
    let harness: GitHarness
    let org: TestOrganization
    let owner: TestUser
    let counter = 0
    beforeAll(async () => {
      harness = await gitHarness(makePeer, { worker: false })
      org = await harness.organization()
      owner = await org.user('Owner')
    })
    afterAll(async () => harness?.close())

    const repository = async () => {
      counter += 1
      const repo = `acme/at-once-${counter}`
      await harness.peer.createRepository(repo, { 'src/main.js': '// hi\n' })
      return repo
    }
    const connected = async () => {
      const repo = await repository()
      const body = harness.body(repo, { repoType: 'application' })
      const made = await owner.post('/api/git/connections', body)
      expect(made.statusCode, made.body).toBe(201)
      return { repo, connectionId: Number(made.json().connection.id) }
    }
    const pipelineOf = async (at: { repo: string; connectionId: number }, appPath: string) => {
      counter += 1
      const made = await owner.post('/api/pipelines', {
        name: `at-once-${counter}`,
        appGitConnectionId: at.connectionId,
        appRepo: at.repo,
        appPath,
        triggers: { push: true },
      })
      expect(made.statusCode, made.body).toBe(201)
      return Number(made.json().pipeline.id)
    }
    const ensure = async (connectionId: number, pipelineId: number) =>
      new MockActivityEnvironment({ attempt: 1 }).run(ensureWebhook(gitActivityDeps(harness)), {
        organizationId: org.id,
        connectionId,
        pipelineId,
      })
    const statesOf = async (connectionId: number, pipelines: number[]) => {
      const { platform } = harness.deps.store
      const rows = await platform('pipelines').whereIn('id', pipelines)
      const [connection] = await platform('git_connections').where({ id: connectionId })
      return [connection, ...rows].map(({ webhookState }) => webhookState)
    }
    const created = () =>
      harness.peer.server.calls.filter((call) => /^POST .*\/hooks$/.test(call)).length

    test('three pipelines of one repository: one webhook, created once, and all are active', async () => {
      const at = await connected()
      const other = { ...at, repo: await repository() }
      for (const { repo, connectionId } of [at, other]) {
        const pipelines = await Promise.all(
          ['a', 'b', 'c'].map(async (path) => pipelineOf({ repo, connectionId }, path)),
        )
        const before = created()
        await Promise.all(pipelines.map(async (id) => ensure(connectionId, id)))
        expect(await statesOf(connectionId, pipelines)).toEqual(Array(4).fill('active'))
        const hooks = await harness.peer.hooks(repo)
        expect(hooks.map(({ url }) => url)).toEqual([
          `${harness.config.baseUrl}/api/git/webhooks/${connectionId}`,
        ])
        expect(created() - before).toBe(1)
        expect((await harness.peer.deliver(repo, { push: 'main' })).status).toBe(200)
      }
    })

    test('a registration waits for the one under way, and for no transaction', async () => {
      const at = await connected()
      const pipeline = await pipelineOf(at, 'a')
      const turn = async (work: 'take' | 'end', until = '') =>
        harness.deps.store.tenant(org.id, async (tenant) => {
          const connections = gitConnections(tenant)
          if (work === 'take') return connections.takeWebhookTurn(at.connectionId, 60)
          return connections.endWebhookTurn(at.connectionId, until)
        })
      const until = await turn('take')
      expect(until).toEqual(expect.any(String))
      expect(await turn('take')).toBeUndefined()
      const before = created()
      let done = false
      const ensured = ensure(at.connectionId, pipeline).then(() => (done = true))
      await eventually(async () => (await statesOf(at.connectionId, [pipeline])).length === 2)
      expect([done, created() - before]).toEqual([false, 0])
      // Another turn's end does not end this one.
      await turn('end', '2026-01-01 00:00:00+00')
      expect(await turn('take')).toBeUndefined()
      await turn('end', until ?? '')
      await ensured
      expect(await statesOf(at.connectionId, [pipeline])).toEqual(['active', 'active'])
      expect(created() - before).toBe(1)
      expect(await turn('take')).toEqual(expect.any(String))
    })
  },
)
