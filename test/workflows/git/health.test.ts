import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkConnections } from '../../../activities/git/check-connections.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const path = '/api/git/connections'

describe('the check of connections that the schedule does', () => {
  let harness: GitHarness
  let user: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    user = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => harness.close())

  const connected = async () => {
    counter += 1
    const repo = `acme/checked-${counter}`
    await harness.peer.createRepository(repo, { 'main.js': '// hi\n' })
    const body = harness.body(repo, { repoType: 'application' })
    const made = await user.post(path, body)
    expect(made.json().connection, made.body).toMatchObject({ status: 'healthy' })
    return { repo, token: String(body['token']), id: Number(made.json().connection.id) }
  }
  /** As the schedule's pass does it, over all that nobody has asked for ten minutes. */
  const pass = async (...ids: number[]) => {
    await harness.deps.store
      .platform('git_connections')
      .whereIn('id', ids)
      .update({ checked_at: new Date(Date.now() - 11 * 60_000) })
    return checkConnections(harness.deps)()
  }
  const statusOf = async (id: number) => {
    const { status, statusReason } = (await user.get(`${path}/${id}`)).json().connection
    return { status, statusReason }
  }

  test('healthy stays so; a revoked token, an archived and a lost repository are told apart', async () => {
    const [fine, revoked, archived] = [await connected(), await connected(), await connected()]
    harness.peer.revoke(revoked.token)
    await harness.peer.archive(archived.repo)
    expect(await pass(fine.id, revoked.id, archived.id)).toEqual({ checked: 3 })
    expect(await statusOf(fine.id)).toEqual({ status: 'healthy', statusReason: null })
    expect(await statusOf(revoked.id)).toEqual({
      status: 'invalid_token',
      statusReason: expect.stringContaining('rejected the token'),
    })
    expect(await statusOf(archived.id)).toEqual({
      status: 'error',
      statusReason: `${archived.repo} is archived.`,
    })
    expect(harness.logged()).not.toContain(revoked.token)
  })

  test('a name that has come to another repository is not taken for ours', async () => {
    const { id, repo } = await connected()
    await harness.peer.rename(repo, `${repo}-moved`)
    await harness.peer.createRepository(repo, { 'main.js': '// another\n' })
    await pass(id)
    expect(await statusOf(id)).toEqual({
      status: 'error',
      statusReason: `${repo} is another repository by now.`,
    })
  })

  test('a host that is away is unreachable in fixed words, and healthy when it is back', async () => {
    const { id } = await connected()
    harness.peer.server.fault = () => 'hang-up'
    try {
      await pass(id)
    } finally {
      harness.peer.server.fault = () => undefined
    }
    const { status, statusReason } = await statusOf(id)
    expect(status).toBe('unreachable')
    expect(statusReason).not.toMatch(/ECONN|127\.0\.0\.1|socket/)
    await pass(id)
    expect(await statusOf(id)).toEqual({ status: 'healthy', statusReason: null })
  })

  test('who was asked within ten minutes is left in peace', async () => {
    await connected()
    const calls = harness.peer.server.calls.length
    expect(await pass()).toEqual({ checked: 0 })
    expect(harness.peer.server.calls.length).toBe(calls)
  })
})
