import { randomUUID } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Deps } from '../../../activities/deps.ts'
import { ensureWebhook } from '../../../activities/git/ensure-webhook.ts'
import { lookIntoDelivery } from '../../../activities/git/look-into-delivery.ts'
import { receiveDelivery } from '../../../app/git/receive-delivery.ts'
import type { Delivery } from '../../../domain/git/webhook-delivery.ts'
import { moveApplication } from '../../../store/runs/move-application.ts'
import { gitActivityDeps } from '../../harness/git/git-activity-deps.ts'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Without a worker, each activity is called as Temporal would call it.
describe.each(hostsOf('gitlabPeer', 'bitbucketCloudPeer'))(
  'pushes of applications in %s',
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

    const deps = (): Deps => gitActivityDeps(harness)
    const connected = async () => {
      counter += 1
      const repo = `acme/pushed-app-${counter}`
      await harness.peer.createRepository(repo, { 'src/main.js': '// hi\n' })
      const made = await owner.post(
        '/api/git/connections',
        harness.body(repo, { repoType: 'application' }),
      )
      expect(made.statusCode, made.body).toBe(201)
      return { repo, connectionId: Number(made.json().connection.id) }
    }
    const pipelineOf = async (
      at: { repo: string; connectionId: number },
      more: Record<string, unknown> = { triggers: { push: true } },
    ) => {
      counter += 1
      const made = await owner.post('/api/pipelines', {
        name: `pushed-${counter}`,
        appGitConnectionId: at.connectionId,
        appRepo: at.repo,
        ...more,
      })
      expect(made.statusCode, made.body).toBe(201)
      return Number(made.json().pipeline.id)
    }
    const triggered = async (more?: Record<string, unknown>) => {
      const at = await connected()
      return { ...at, pipelineId: await pipelineOf(at, more) }
    }
    const row = async (table: string, where: object) =>
      harness.deps.store.platform(table).where(where).orderBy('id', 'desc').first()
    const told = async (connectionId: number, about: Partial<Delivery>) => {
      const delivery = {
        id: randomUUID(),
        branches: [],
        tags: [],
        pullRequest: null,
        repository: null,
        ...about,
      }
      await harness.deps.store.tenant(org.id, async (tenant) =>
        receiveDelivery(tenant, { connectionId, delivery }),
      )
      return Number((await row('git_deliveries', { connectionId })).id)
    }
    const look = async (deliveryId: number) =>
      new MockActivityEnvironment({ attempt: 1 }).run(lookIntoDelivery(deps()), {
        organizationId: org.id,
        deliveryId,
      })
    const pushed = async (
      connectionId: number,
      about: Partial<Delivery> = { branches: ['main'] },
    ) => {
      const id = await told(connectionId, about)
      await look(id)
      return id
    }
    const edit = async (repo: string, word: string, path = 'src/main.js', more: object = {}) =>
      harness.peer.edit(repo, { write: { [path]: word }, ...more })
    const runsOf = async (pipelineId: number) =>
      (await owner.get(`/api/pipelines/${pipelineId}/runs`)).json().runs
    const rowOf = async (id: number) =>
      harness.deps.store.platform('application_runs').where({ pipelineRunId: id }).first()

    test('a push starts a run of the head that the host tells, once', async () => {
      const { repo, connectionId, pipelineId } = await triggered()
      await edit(repo, 'one')
      const id = await pushed(connectionId, { branches: ['main'], repository: repo })
      const [run, ...others] = await runsOf(pipelineId)
      expect(others).toEqual([])
      expect(run).toMatchObject({
        state: 'running',
        origin: { kind: 'push', id: run.commitSha },
        author: { id: null, label: `push of ${run.commitSha.slice(0, 7)}` },
        trigger: { kind: 'push', id },
        commit: { branch: 'main', tag: null, sha: expect.stringMatching(/^[0-9a-f]{40}$/) },
      })
      const started = await row('outbox', { workflowId: run.workflowId })
      expect(started.kind).toBe('start')
      // The activity again, the delivery again, and another delivery of the same push.
      await look(id)
      await Promise.all([pushed(connectionId), pushed(connectionId)])
      expect(await runsOf(pipelineId)).toHaveLength(1)
      await edit(repo, 'two')
      const both = [
        await told(connectionId, { branches: ['main'] }),
        await told(connectionId, { branches: ['main'] }),
      ]
      await Promise.all(both.map(look))
      expect(await runsOf(pipelineId)).toHaveLength(2)
    })

    test('a newer push ends an older one that has not begun, and none that has; a tag ends neither', async () => {
      const { repo, connectionId, pipelineId } = await triggered({
        triggers: { push: true, tags: ['v*'] },
      })
      const states = async () =>
        (await runsOf(pipelineId)).map(({ state, reason }: Shown) => reason ?? state).toReversed()
      await edit(repo, 'one')
      await pushed(connectionId)
      await harness.peer.tag(repo, 'v1')
      await pushed(connectionId, { tags: ['v1'] })
      await edit(repo, 'two')
      await pushed(connectionId)
      expect(await states()).toEqual(['superseded', 'running', 'running'])
      const [newest] = await runsOf(pipelineId)
      await harness.deps.store.tenant(org.id, async (tenant) =>
        moveApplication(tenant, newest.id, { from: 'queued', to: 'sourcing' }),
      )
      await edit(repo, 'three')
      await pushed(connectionId)
      expect(await states()).toEqual(['superseded', 'running', 'running', 'running'])
      // A person's run is nobody's to end.
      await owner.post(`/api/pipelines/${pipelineId}/run`, {})
      await edit(repo, 'four')
      await pushed(connectionId)
      expect(await states()).toEqual([
        'superseded',
        'running',
        'running',
        'superseded',
        'running',
        'running',
      ])
    })

    test('without the trigger, of another branch, repository or connection, or of a deleted branch: nothing', async () => {
      const off = await triggered({})
      const next = await triggered({ appBranch: 'next', triggers: { push: true } })
      const at = await connected()
      const [one, other] = [await pipelineOf(at), await pipelineOf({ ...at, repo: off.repo })]
      await pushed(off.connectionId)
      await pushed(next.connectionId)
      await pushed(next.connectionId, { branches: ['gone', 'next'] })
      await pushed(at.connectionId, { branches: ['main'], repository: at.repo.toUpperCase() })
      expect(await runsOf(off.pipelineId)).toEqual([])
      expect(await runsOf(next.pipelineId)).toEqual([])
      expect(await runsOf(one)).toHaveLength(1)
      expect(await runsOf(other)).toEqual([])
      // A name that nobody knows is that of a repository which was renamed, or of one that no pipeline has.
      const unknown = { branches: ['main'], repository: `${off.repo}-renamed` }
      await pushed(at.connectionId, unknown)
      expect(await runsOf(other)).toEqual([])
      await harness.peer.rename(off.repo, unknown.repository)
      await pushed(at.connectionId, unknown)
      expect(await runsOf(other)).toHaveLength(1)
      expect(await runsOf(one)).toHaveLength(1)
    })

    test('paths: a push starts a run if one of them changed since the last one', async () => {
      const { repo, connectionId, pipelineId } = await triggered({
        triggers: { push: true, paths: ['src/**', '*.lock'] },
      })
      await pushed(connectionId)
      expect(await runsOf(pipelineId)).toHaveLength(1)
      await edit(repo, 'words', 'docs/a.md')
      await pushed(connectionId)
      expect(await runsOf(pipelineId)).toHaveLength(1)
      // Both pushes count, also if one delivery was lost.
      await edit(repo, 'other', 'src/deep/b.js')
      await edit(repo, 'words', 'docs/b.md')
      await pushed(connectionId)
      expect(await runsOf(pipelineId)).toHaveLength(2)
      // GitLab compares 50,000 lines, and leaves out the file that is over it with all that follow.
      const write = { aa: 'x\n', ab: 'x\n'.repeat(50_001), 'src/main.js': 'hidden' }
      await harness.peer.edit(repo, { write })
      await pushed(connectionId)
      expect(await runsOf(pipelineId)).toHaveLength(3)
    })

    test('tags: one that fits starts a run of the commit that it names, once', async () => {
      const at = await triggered({ triggers: { tags: ['v*', 'rel/*'] } })
      const { repo, connectionId, pipelineId } = at
      for (const tag of ['other', 'v1.0', 'rel/2']) await harness.peer.tag(repo, tag)
      await pushed(connectionId)
      await pushed(connectionId, { tags: ['other', 'rel'] })
      expect(await runsOf(pipelineId)).toEqual([])
      const id = await pushed(connectionId, { tags: ['v1.0', 'other', 'rel/2'] })
      await look(id)
      await pushed(connectionId, { tags: ['v1.0'] })
      const runs = await runsOf(pipelineId)
      expect(runs.map(({ author }: { author: { label: string } }) => author.label)).toEqual([
        'tag rel/2',
        'tag v1.0',
      ])
      const sha = expect.stringMatching(/^[0-9a-f]{40}$/)
      expect(runs[0]).toMatchObject({ trigger: { kind: 'tag', id }, commit: { sha, branch: null } })
      expect(await rowOf(runs[0].id)).toMatchObject({ tag: 'rel/2', unknownAuthor: true })
    })

    test('authors: whom a commit names and who pushed it; unknown unless the host proves a member', async () => {
      const { repo, connectionId, pipelineId } = await triggered()
      await pushed(connectionId)
      const [colleague, pusher] = [await org.user('Deployer'), await org.user('Deployer')]
      await edit(repo, 'forged', 'src/main.js', { email: colleague.email, pusher: pusher.email })
      await pushed(connectionId)
      const [forged] = await runsOf(pipelineId)
      const row = await rowOf(forged.id)
      expect(row.unknownAuthor).toBe(true)
      // Bitbucket Cloud does not report who pushed.
      const known = harness.peer.product === 'bitbucket-cloud' ? [colleague] : [colleague, pusher]
      expect(row.authorUserIds.toSorted((a: number, b: number) => a - b)).toEqual(
        known.map(({ id }) => id).toSorted((a, b) => a - b),
      )
      if (harness.peer.provider === 'bitbucket') return
      const signed = { email: colleague.email, signed: true, pusher: colleague.email }
      await edit(repo, 'signed', 'src/main.js', signed)
      await pushed(connectionId)
      const [proved] = await runsOf(pipelineId)
      expect(await rowOf(proved.id)).toMatchObject({
        authorUserIds: [colleague.id],
        unknownAuthor: false,
      })
    })

    test('a trigger registers the webhook of its repository, and again the same', async () => {
      const at = await connected()
      counter += 1
      const repo = `acme/second-${counter}`
      await harness.peer.createRepository(repo, { a: 'a' })
      const pipelineId = await pipelineOf({ ...at, repo })
      const input = { organizationId: org.id, connectionId: at.connectionId, pipelineId }
      const ensure = async () =>
        new MockActivityEnvironment({ attempt: 1 }).run(ensureWebhook(deps()), input)
      for (const _ of [1, 2]) {
        await ensure()
        const hooks = await harness.peer.hooks(repo)
        expect(hooks.map(({ url }) => url)).toEqual([
          `${harness.config.baseUrl}/api/git/webhooks/${at.connectionId}`,
        ])
      }
      const shown = async () =>
        (await owner.get(`/api/pipelines/${pipelineId}`)).json().pipeline.webhook
      expect(await shown()).toEqual({ state: 'active', reason: null })
      harness.peer.allowHooks(false)
      await ensure().finally(() => harness.peer.allowHooks(true))
      expect(await shown()).toMatchObject({ state: 'unavailable', reason: expect.any(String) })
      // Of the connection's own repository there is one webhook for both.
      const own = await pipelineOf(at)
      await new MockActivityEnvironment({ attempt: 1 }).run(ensureWebhook(deps()), {
        ...input,
        pipelineId: own,
      })
      expect(await harness.peer.hooks(at.repo)).toHaveLength(1)
      expect((await harness.peer.deliver(at.repo, { push: 'main' })).status).toBe(200)
    })
  },
)

type Shown = { state: string; reason: string | null }
