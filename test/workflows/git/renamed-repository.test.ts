import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkConnections } from '../../../activities/git/check-connections.ts'
import { noteHealth } from '../../../app/git/note-health.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { deliveredPushes, type DeliveredPushes } from '../../harness/git/delivered-pushes.ts'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe.each(hostsOf('gitlabPeer', 'githubPeer'))(
  'a renamed repository that the scheduled check finds at %s',
  (_, makePeer) => {
    let harness: GitHarness
    let owner: TestUser
    let at: DeliveredPushes
    let counter = 0
    beforeAll(async () => {
      harness = await gitHarness(makePeer, { worker: false })
      owner = await (await harness.organization()).user('Owner')
      at = deliveredPushes(harness, owner)
    })
    afterAll(async () => harness?.close())

    const check = async (connectionId: number) => {
      const checkedAt = new Date(Date.now() - 11 * 60_000)
      await harness.deps.store
        .platform('git_connections')
        .where({ id: connectionId })
        .update({ checkedAt })
      return checkConnections(harness.deps)()
    }
    const workspaceOf = async (gitConnectionId: number, repo: string) => {
      const made = await owner.post('/api/workspaces', {
        name: `renamed-${(counter += 1)}`,
        gitConnectionId,
        source: { kind: 'git', repo, branch: 'main' },
        path: 'live',
      })
      expect(made.statusCode, made.body).toBe(201)
      return Number(made.json().workspace.id)
    }
    const pipeline = async (id: number) => (await owner.get(`/api/pipelines/${id}`)).json().pipeline
    const workspace = async (id: number) =>
      (await owner.get(`/api/workspaces/${id}`)).json().workspace
    const updates = async (event: string, target: number) =>
      (await harness.deps.store
        .platform('audit_entries')
        .where({ organizationId: owner.organizationId, event, targetId: String(target) })
        .orderBy('id')
        .select('actorKind', 'detail')) as Array<{ actorKind: string; detail: object }>

    test('its pipelines and workspaces follow, so that its pushes still start runs', async () => {
      const { repo, connectionId } = await at.connected('shop')
      const other = await at.repository('other')
      const named = await at.pipelineOf(connectionId, repo.toUpperCase(), {
        push: true,
        tags: ['v*'],
      })
      const sibling = await at.pipelineOf(connectionId, other, { push: true, tags: ['v*'] })
      const ws = await workspaceOf(connectionId, repo)
      const elsewhere = await workspaceOf(connectionId, other)
      const before = await workspace(elsewhere)
      const name = `${repo}-renamed`
      await harness.peer.rename(repo, name)
      expect(await check(connectionId)).toEqual({ checked: 1 })

      expect((await pipeline(named)).appRepo).toBe(name)
      expect((await pipeline(sibling)).appRepo).toBe(other)
      expect((await workspace(ws)).source).toMatchObject({ repo: name, branch: 'main' })
      expect(await workspace(elsewhere)).toEqual(before)
      await harness.peer.edit(name, { write: { 'live/main.tf': '# changed\n' } })
      await at.pushed(connectionId, { repository: name, branches: ['main'] })
      await harness.peer.tag(name, 'v1')
      await at.pushed(connectionId, { repository: name, tags: ['v1'] })
      expect(await at.runsOf(named)).toEqual([expect.stringMatching(/^push of /), 'tag v1'])
      expect(await at.runsOf(sibling)).toEqual([])
      expect((await workspace(ws)).configurationVersion).toBe(1)

      // Another check changes and notes nothing more.
      await check(connectionId)
      const actorKind = 'system'
      expect(await updates('pipeline.updated', named)).toEqual([
        { actorKind, detail: { appRepo: { from: repo.toUpperCase(), to: name } } },
      ])
      expect(await updates('workspace.updated', ws)).toEqual([
        {
          actorKind,
          detail: {
            source: { from: { repo, branch: 'main' }, to: { repo: name, branch: 'main' } },
          },
        },
      ])
      expect(await updates('git.connection_default_set', connectionId)).toEqual([
        { actorKind, detail: { repo: { from: repo, to: name } } },
      ])
    })

    test('a webhook whose registration is under way is registered under the new name', async () => {
      const { repo, connectionId } = await at.connected('shop')
      const id = await at.pipelineOf(connectionId, repo, { push: true })
      expect((await pipeline(id)).webhook).toMatchObject({ state: 'pending' })
      await harness.peer.rename(repo, `${repo}-renamed`)
      await check(connectionId)
      const starts = await harness.deps.store
        .platform('outbox')
        .whereLike('dedupeKey', `git-webhook/${connectionId}/pipeline-${id}-%`)
      expect(starts).toHaveLength(2)
    })

    test('a connection that was led to another repository during the check keeps that one', async () => {
      const { repo, connectionId } = await at.connected('shop')
      const id = await at.pipelineOf(connectionId, repo, { push: true })
      const next = await at.repository('next')
      const { store } = harness.deps
      const seen = await store.tenant(owner.organizationId, async (own) =>
        gitConnections(own).get(connectionId),
      )
      await store.tenant(owner.organizationId, async (own) =>
        gitConnections(own).update(connectionId, { defaultRepo: next }),
      )
      const health = { status: 'healthy', reason: null, repo: `${repo}-renamed` } as const
      const noted = await store.tenant(owner.organizationId, async (own) =>
        noteHealth(own, { connectionId, seen, health }),
      )
      expect(noted.defaultRepo).toBe(next)
      expect((await pipeline(id)).appRepo).toBe(repo)
    })
  },
)
