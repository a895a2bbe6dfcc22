import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkConnections } from '../../../activities/git/check-connections.ts'
import {
  eventually,
  gitHarness,
  peerMakers,
  type GitHarness,
} from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const marker = '.cloud-control/owner.json'
const path = '/api/git/connections'

describe('a branch that is lost, or moves under the hands', () => {
  let harness: GitHarness
  let user: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.githubPeer)
    user = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => harness.close())

  const connected = async () => {
    counter += 1
    const [repo, name] = [`acme/lost-${counter}`, `lost-${counter}`]
    await harness.peer.createRepository(repo, { 'other.txt': 'theirs\n' })
    const { id } = (await user.post(path, harness.body(repo))).json().connection
    const made = await user.post('/api/workspaces', { name, gitConnectionId: id })
    const url = `/api/workspaces/${made.json().workspace.id}`
    const put = async (text: string) =>
      expect(
        (await user.put(`${url}/configuration`, { files: { 'main.tf': text } })).statusCode,
      ).toBe(201)
    /** The newest hydrate, once it is over. */
    const ended = async () =>
      eventually(async () => {
        const [newest] = (await user.get(`${url}/hydrations`)).json().hydrations
        return newest?.state !== 'queued' && newest
      })
    const health = async () => {
      const { status, statusReason } = (await user.get(`${path}/${id}`)).json().connection
      return { status, statusReason }
    }
    const retry = async () => {
      const { id: hydration } = await ended()
      expect((await user.post(`${url}/hydrations/${hydration}/retry`)).statusCode).toBe(200)
      return ended()
    }
    return { repo, name, id, put, ended, health, retry }
  }
  /** As the schedule's pass does it. */
  const check = async (id: number) => {
    await harness.deps.store
      .platform('git_connections')
      .where({ id })
      .update({ checkedAt: new Date(Date.now() - 7 * 3_600_000) })
    await checkConnections(harness.deps)()
  }
  const validate = async (id: number) => user.post(`${path}/${id}/validate`)
  /** Has a person put the marker back after it was read as missing, and before the reader is answered. */
  const repairOnceRead = (ws: Awaited<ReturnType<typeof connected>>) => {
    let repaired = false
    harness.peer.server.fault = async ({ url }, when) => {
      const asked = decodeURIComponent(url.pathname)
      if (repaired || when === 'before' || !asked.endsWith(`${ws.repo}/contents/${marker}`))
        return undefined
      repaired = true
      expect((await validate(ws.id)).statusCode).toBe(200)
      await eventually(async () => (await ws.health()).status === 'healthy')
      return undefined
    }
    return () => repaired
  }

  test('a marker that somebody took away stops all writing until a person validates', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    await ws.put('# one\n')
    expect(await ws.ended()).toMatchObject({ state: 'failed', reason: 'git_not_owner' })
    const told = { status: 'error', statusReason: expect.stringContaining('Validating') }
    expect(await ws.health()).toEqual(told)
    // The schedule tells of it, and leaves the branch alone.
    await check(ws.id)
    await check(ws.id)
    expect(await ws.health()).toEqual(told)
    expect(await harness.peer.tree(ws.repo)).not.toHaveProperty([marker])

    expect((await validate(ws.id)).statusCode).toBe(200)
    await eventually(async () => (await ws.health()).status === 'healthy')
    expect(await ws.retry()).toMatchObject({ state: 'written' })
    expect(await harness.peer.tree(ws.repo)).toMatchObject({
      [`workspaces/${ws.name}/main.tf`]: '# one\n',
    })
  })

  test('a marker that was seen missing before somebody put it back leaves the connection healthy', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    // The writer has read that the marker is gone, and is told so only after the repair.
    const isRepaired = repairOnceRead(ws)
    try {
      await ws.put('# one\n')
      expect(await ws.ended()).toMatchObject({ state: 'failed', reason: 'git_not_owner' })
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(isRepaired()).toBe(true)
    expect(await ws.health()).toEqual({ status: 'healthy', statusReason: null })
    expect(await ws.retry()).toMatchObject({ state: 'written' })
  })

  test('a check that saw the marker missing before somebody put it back changes nothing', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    const isRepaired = repairOnceRead(ws)
    try {
      // The worker's own pass may have taken the connection just now.
      await expect
        .poll(async () => {
          await check(ws.id)
          return isRepaired()
        })
        .toBe(true)
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(await ws.health()).toEqual({ status: 'healthy', statusReason: null })
  })

  test('a write that is refused for its token shows on the connection', async () => {
    const ws = await connected()
    harness.peer.server.fault = ({ method }) =>
      method === 'POST' ? { status: 401, json: { message: 'Bad credentials' } } : undefined
    try {
      await ws.put('# one\n')
      expect(await ws.ended()).toMatchObject({ state: 'failed', reason: 'git_token_rejected' })
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(await ws.health()).toEqual({
      status: 'invalid_token',
      statusReason: 'GitHub rejected the token: Bad credentials',
    })
    await check(ws.id)
    expect((await ws.health()).status).toBe('healthy')
    expect(await ws.retry()).toMatchObject({ state: 'written' })
  })

  test('the schedule finds it before anything is written', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    // The worker's own look may have begun before the edit; the later of two looks is then dropped.
    await expect
      .poll(async () => {
        await check(ws.id)
        return (await ws.health()).status
      })
      .toBe('error')
  })

  test('a marker of another installation is told, and never written over', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { write: { [marker]: '{"version":1}' } })
    const elsewhere = { status: 'error', statusReason: expect.stringMatching(/^Another install/) }
    await expect
      .poll(async () => {
        await check(ws.id)
        return ws.health()
      })
      .toEqual(elsewhere)
    await validate(ws.id)
    expect(await ws.health()).toEqual(elsewhere)
    expect((await harness.peer.tree(ws.repo))[marker]).toBe('{"version":1}')
  })

  test.each([1, 5, 6])('a branch that moves %i times in between', async (times) => {
    const ws = await connected()
    let moved = 0
    harness.peer.server.fault = async ({ method, url }, when) => {
      const asked = decodeURIComponent(url.pathname)
      const writes = method === 'PATCH' && asked.includes(`${ws.repo}/git/refs/heads/`)
      if (!writes || when === 'after' || moved >= times) return undefined
      moved += 1
      await harness.peer.edit(ws.repo, { write: { 'other.txt': `theirs ${moved}\n` } })
      return undefined
    }
    try {
      await ws.put('# one\n')
      const first = await ws.ended()
      expect(moved).toBe(times)
      if (times > 5) {
        expect(first).toMatchObject({ state: 'failed', reason: 'git_branch_moving' })
        expect(await ws.retry()).toMatchObject({ state: 'written' })
      } else expect(first).toMatchObject({ state: 'written' })
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(await harness.peer.tree(ws.repo)).toMatchObject({
      'other.txt': `theirs ${times}\n`,
      [`workspaces/${ws.name}/main.tf`]: '# one\n',
    })
  })
})
