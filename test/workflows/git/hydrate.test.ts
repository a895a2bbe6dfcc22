import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkConnections } from '../../../activities/git/check-connections.ts'
import { eventually } from '../../harness/eventually.ts'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { hydratedWorkspace } from './hydrated-workspace.ts'

const marker = '.cloud-control/owner.json'

describe.each(hostsOf('githubPeer', 'bitbucketDataCenterPeer'))('hydrate to %s', (_, makePeer) => {
  let harness: GitHarness
  let user: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(makePeer)
    user = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => harness.close())

  const connected = async () => {
    counter += 1
    return hydratedWorkspace({ harness, user }, counter)
  }
  const eventsOf = async ({ name }: { name: string }, begin: string) => {
    const { entries } = (await user.get('/api/audit?limit=200')).json()
    return entries.filter(
      (entry: { event: string; target: { label: string } | null }) =>
        entry.event.startsWith(begin) && entry.target?.label === name,
    )
  }

  test('each version is one commit with trailers; files removed from the configuration are deleted', async () => {
    const ws = await connected()
    await ws.put({ 'main.tf': '# one\n', 'modules/a/x.tf': '# x\n' })
    await ws.ended('written')
    expect(await ws.folder()).toEqual({ 'main.tf': '# one\n', 'modules/a/x.tf': '# x\n' })
    const before = (await harness.peer.messages(ws.repo)).length
    await ws.put({ 'main.tf': '# two\n' })
    await ws.ended('written', 2)
    expect(await ws.folder()).toEqual({ 'main.tf': '# two\n' })
    expect((await harness.peer.tree(ws.repo))['other.txt']).toBe('theirs\n')
    const messages = await harness.peer.messages(ws.repo)
    expect(messages.length).toBe(before + 1)
    expect(messages[0]).toMatch(
      /Configuration-Version: 2\nConfiguration-Digest: sha256:[0-9a-f]{64}$/,
    )
    expect(await eventsOf(ws, 'git.repo_written')).toHaveLength(2)
    const [pruned] = await eventsOf(ws, 'git.repo_pruned')
    expect(pruned.detail.paths).toEqual([`workspaces/${ws.name}/modules/a/x.tf`])
  })

  test('another person’s edit stops the write, and `ours` overwrites the edit that was shown', async () => {
    const ws = await connected()
    const file = `workspaces/${ws.name}/main.tf`
    await ws.put({ 'main.tf': '# one\n' })
    await ws.ended('written')
    await harness.peer.edit(ws.repo, { write: { [file]: '# edited\n' } })
    await ws.put({ 'main.tf': '# two\n' })
    const { id } = await ws.ended('diverged')
    expect(await ws.folder()).toEqual({ 'main.tf': '# edited\n' })
    const { hydration } = (await user.get(`${ws.url}/hydrations/${id}`)).json()
    const diff = `--- a/${file}\n+++ b/${file}\n@@ -1,1 +1,1 @@\n-# two\n+# edited\n`
    const shown = { path: file, ours: '# two\n', theirs: '# edited\n', diff, change: 'edited' }
    expect(hydration.differences).toEqual([{ ...shown, omitted: false }])
    const [failed] = await eventsOf(ws, 'git.repo_write_failed')
    expect(failed.detail).toMatchObject({ reason: 'diverged', paths: [file] })

    // The person who decided has not seen a later edit.
    await harness.peer.edit(ws.repo, { write: { [file]: '# edited again\n' } })
    expect(
      (await user.post(`${ws.url}/hydrations/${id}/resolve`, { take: 'ours' })).statusCode,
    ).toBe(200)
    await eventually(async () => (await eventsOf(ws, 'git.repo_write_failed')).length === 2)
    expect(await ws.folder()).toEqual({ 'main.tf': '# edited again\n' })
    expect(
      (await user.post(`${ws.url}/hydrations/${id}/resolve`, { take: 'ours' })).statusCode,
    ).toBe(200)
    await ws.ended('written', 2)
    expect(await ws.folder()).toEqual({ 'main.tf': '# two\n' })
    const late = await user.post(`${ws.url}/hydrations/${id}/resolve`, { take: 'ours' })
    expect([late.statusCode, late.json().code]).toEqual([409, 'hydration_not_diverged'])
  })

  test('`theirs` makes the edit a new version of the workspace', async () => {
    const ws = await connected()
    await ws.put({ 'main.tf': '# one\n', 'b.tf': '# b\n' })
    await ws.ended('written')
    await harness.peer.edit(ws.repo, {
      write: { [`workspaces/${ws.name}/main.tf`]: '# edited\n' },
      remove: [`workspaces/${ws.name}/b.tf`],
    })
    await ws.put({ 'main.tf': '# two\n', 'b.tf': '# b\n' })
    const { id } = await ws.ended('diverged')
    expect(
      (await user.post(`${ws.url}/hydrations/${id}/resolve`, { take: 'theirs' })).statusCode,
    ).toBe(200)
    await ws.ended('written', 2)
    expect(await ws.folder()).toEqual({ 'main.tf': '# edited\n' })
    expect((await user.get(`${ws.url}/configuration`)).json()).toMatchObject({
      configuration: { files: { 'main.tf': '# edited\n' } },
    })
  })

  test('a marker that is missing or from another installation stops every write', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { write: { [marker]: '{"version":1}' } })
    await ws.put({ 'main.tf': '# one\n' })
    expect(await ws.ended('failed')).toMatchObject({ reason: 'git_not_owner' })
    expect(await ws.folder()).toEqual({})
  })

  test('a run writes its version again if that failed before, and the commit names the run', async () => {
    const ws = await connected()
    const owned = (await harness.peer.tree(ws.repo))[marker] ?? ''
    await harness.peer.edit(ws.repo, { write: { [marker]: '{"version":1}' } })
    await ws.put({ 'main.tf': '# one\n' })
    await ws.ended('failed')
    await harness.peer.edit(ws.repo, { write: { [marker]: owned } })
    const started = await user.post(`${ws.url}/apply`, {})
    expect(started.statusCode, started.body).toBe(201)
    await ws.ended('written')
    expect((await harness.peer.messages(ws.repo))[0]).toMatch(
      new RegExp(
        `\n\nRun: ${started.json().run.id}\nConfiguration-Version: 1\nConfiguration-Digest: `,
      ),
    )
    // A version that is already written is not written again for each run.
    expect((await user.post(`${ws.url}/apply`, {})).statusCode).toBe(201)
    expect((await user.get(`${ws.url}/hydrations`)).json().hydrations).toHaveLength(2)
  })

  test('a protected branch gets a pull request', async () => {
    const ws = await connected()
    await harness.peer.protect(ws.repo, 'main')
    await ws.put({ 'main.tf': '# one\n' })
    expect((await ws.ended('proposed')).pullRequestUrl).toMatch(/^http/)
    expect(await harness.peer.pullRequests(ws.repo)).toEqual([
      { from: `cloud-control/${ws.name}/v1`, into: 'main' },
    ])
    expect(await ws.folder()).toEqual({})
    const side = await harness.peer.tree(ws.repo, `cloud-control/${ws.name}/v1`)
    expect(side[`workspaces/${ws.name}/main.tf`]).toBe('# one\n')
  })

  test('a branch that was protected before the connection gets a pull request from the start', async () => {
    counter += 1
    const [repo, name] = [`acme/protected-${counter}`, `ws-${counter}`]
    await harness.peer.createRepository(repo, { 'other.txt': 'theirs\n' })
    await harness.peer.protect(repo, 'main')
    const made = await user.post('/api/git/connections', harness.body(repo))
    const { connection } = made.json()
    expect([made.statusCode, connection.status]).toEqual([201, 'initializing'])
    expect(connection.statusReason).toMatch(/^The branch is protected\. Merge http\S+: until/)
    const request = { from: `cloud-control/connect-${connection.id}`, into: 'main' }
    expect(await harness.peer.pullRequests(repo)).toEqual([request])
    expect(await harness.peer.tree(repo)).toEqual({ 'other.txt': 'theirs\n' })

    // A version that is put meanwhile waits, without an error.
    const { workspace } = (
      await user.post('/api/workspaces', { name, gitConnectionId: connection.id })
    ).json()
    const url = `/api/workspaces/${workspace.id}`
    await user.put(`${url}/configuration`, { files: { 'main.tf': '# one\n' } })
    const look = async () => {
      await harness.deps.store
        .platform('git_connections')
        .where({ id: connection.id })
        .update({ checkedAt: new Date(Date.now() - 61_000) })
      await checkConnections(harness.deps)()
      return (await user.get(`/api/git/connections/${connection.id}`)).json().connection.status
    }
    expect(await look()).toBe('initializing')
    expect(await harness.peer.pullRequests(repo)).toEqual([request])
    await harness.peer.merge(repo, request)
    await eventually(async () => (await look()) === 'healthy')
    const tree = await harness.peer.tree(repo)
    expect(JSON.parse(tree[marker] ?? '{}')).toMatchObject({ connection: connection.id })
    expect(Object.keys(tree)).toContain('workspaces/README.md')
    await eventually(async () => {
      const { hydrations } = (await user.get(`${url}/hydrations`)).json()
      return hydrations[0].state === 'proposed'
    })
    expect(await harness.peer.pullRequests(repo)).toEqual([
      { from: `cloud-control/${name}/v1`, into: 'main' },
    ])
    expect(harness.logged()).toContain('"an activity waits"')
    expect(harness.logged()).not.toMatch(/"level":40[^\n]*git_being_prepared/)
  })

  test('a failing host is retried, and nothing is written twice', async () => {
    const ws = await connected()
    let left = 4
    const seen: string[] = []
    harness.peer.server.fault = (request, when) => {
      // Every second failure comes after the work is done, so only its answer is lost.
      if (left === 0 || (when === 'before') === (left % 2 === 0)) return undefined
      left -= 1
      seen.push(`${when} ${request.method}`)
      return when === 'after' ? 'half' : { status: 500, json: { message: 'oops' } }
    }
    const before = (await harness.peer.messages(ws.repo)).length
    try {
      await ws.put({ 'main.tf': '# one\n' })
      await ws.ended('written')
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(seen).toHaveLength(4)
    expect(await ws.folder()).toEqual({ 'main.tf': '# one\n' })
    expect((await harness.peer.messages(ws.repo)).length).toBe(before + 1)
    expect(await eventsOf(ws, 'git.repo_written')).toHaveLength(1)
  })

  test('a rate limit is waited for as long as its header says, and then the write continues', async () => {
    const ws = await connected()
    let limitedAt = 0
    let early = 0
    harness.peer.server.fault = (request, when) => {
      const writes = request.method !== 'GET' && !request.path.endsWith('git-upload-pack')
      if (when === 'after') return undefined
      if (limitedAt > 0 && Date.now() - limitedAt < 900) early += 1
      if (limitedAt > 0 || !writes) return undefined
      limitedAt = Date.now()
      return { status: 429, json: { message: 'slow' }, headers: { 'retry-after': '1' } }
    }
    try {
      await ws.put({ 'main.tf': '# one\n' })
      await ws.ended('written')
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(limitedAt).toBeGreaterThan(0)
    expect(early).toBe(0)
    // The header sets the delay. A limit without a header would wait a minute.
    expect(harness.logged()).toContain('limits how often it may be asked. Try again in 1 s.')
    expect(await ws.folder()).toEqual({ 'main.tf': '# one\n' })
  })

  test('a commit whose answer was lost is recognized, even after a newer version', async () => {
    const ws = await connected()
    const count = async () => (await harness.peer.messages(ws.repo)).length
    const before = await count()
    let down = false
    harness.peer.server.fault = async (request, when) => {
      if (when === 'after' && request.method !== 'GET' && (await count()) > before) down = true
      return down ? { status: 500, json: { message: 'oops' } } : undefined
    }
    try {
      await ws.put({ 'main.tf': '# one\n', 'b.tf': '# b\n' })
      await eventually(async () => down)
      await ws.put({ 'main.tf': '# two\n' })
    } finally {
      harness.peer.server.fault = () => undefined
    }
    await ws.ended('written', 2)
    expect(await ws.folder()).toEqual({ 'main.tf': '# two\n' })
    expect(await count()).toBe(before + 2)
    const written = await eventsOf(ws, 'git.repo_written')
    expect(
      written.map((one: { detail: Record<string, unknown> }) => one.detail['configurationVersion']),
    ).toEqual([2, 1])
  })

  test('the next version gets a new pull request, and the old one is closed', async () => {
    const ws = await connected()
    await harness.peer.protect(ws.repo, 'main')
    await ws.put({ 'main.tf': '# one\n' })
    await ws.ended('proposed')
    await ws.put({ 'main.tf': '# two\n' })
    await ws.ended('superseded')
    const open = { from: `cloud-control/${ws.name}/v2`, into: 'main' }
    expect(await harness.peer.pullRequests(ws.repo)).toEqual([open])
  })
})
