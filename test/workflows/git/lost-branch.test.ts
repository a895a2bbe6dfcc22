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

describe('a branch that is lost, or moves during a write', () => {
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
    /** The newest hydration, once it has ended. */
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
  /** Runs the scheduled check. */
  const check = async (id: number) => {
    await harness.deps.store
      .platform('git_connections')
      .where({ id })
      .update({ checkedAt: new Date(Date.now() - 7 * 3_600_000) })
    await checkConnections(harness.deps)()
  }
  const validate = async (id: number) => user.post(`${path}/${id}/validate`)
  /** A person puts the marker back after it was read as missing, and before the answer is sent. */
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

  test('a removed marker stops all writes until a person validates the connection', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    await ws.put('# one\n')
    expect(await ws.ended()).toMatchObject({ state: 'failed', reason: 'git_not_owner' })
    const told = { status: 'error', statusReason: expect.stringContaining('Validating') }
    expect(await ws.health()).toEqual(told)
    // The scheduled check reports the missing marker and does not change the branch.
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

  test('the marker is restored during a write that saw it missing: the connection stays healthy', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    // The write has read that the marker is missing, and gets this answer only after the repair.
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

  test('the marker is restored during a check that saw it missing: the check changes nothing', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    const isRepaired = repairOnceRead(ws)
    try {
      // The worker's own check may have taken the connection at this moment.
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

  test('a write that is refused because of its token sets the connection’s status', async () => {
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

  test('the scheduled check finds a missing marker before a write does', async () => {
    const ws = await connected()
    await harness.peer.edit(ws.repo, { remove: [marker] })
    // The worker's own check may have started before the edit. Then the later of the two results is
    // dropped.
    await expect
      .poll(async () => {
        await check(ws.id)
        return (await ws.health()).status
      })
      .toBe('error')
  })

  test('a marker of another installation is reported and never overwritten', async () => {
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

  test.each([1, 5, 6])('a branch that moves %i times during a write', async (times) => {
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
