import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkConnections } from '../../../activities/git/check-connections.ts'
import { dueConnections } from '../../../store/platform/due-connections.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const path = '/api/git/connections'

describe('the scheduled check of connections', () => {
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
  /**
   * Runs the scheduled check. These connections are due, because their last check is ten minutes
   * old.
   */
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

  test('a healthy connection stays healthy; a revoked token, an archived repository and a lost one are told apart', async () => {
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

  test('a lost repository is checked with backoff, and prepared again once it is back', async () => {
    const { id, repo } = await connected()
    await harness.peer.archive(repo)
    await pass(id)
    expect(await statusOf(id)).toMatchObject({ status: 'error' })
    const { platform } = harness.deps.store
    const agedBy = async (minutes: number) => {
      const checkedAt = new Date(Date.now() - minutes * 60_000)
      await platform('git_connections').where({ id }).update({ checkedAt })
      return checkConnections(harness.deps)()
    }
    expect(await agedBy(9)).toEqual({ checked: 0 })
    // The backoff: 10, 20 and 40 minutes, up to six hours.
    for (const minutes of [11, 21, 41]) {
      expect(await agedBy(minutes - 2)).toEqual({ checked: 0 })
      expect(await agedBy(minutes)).toEqual({ checked: 1 })
    }
    await platform('git_connections').where({ id }).update({ failedChecks: 40 })
    expect(await agedBy(350)).toEqual({ checked: 0 })
    await harness.peer.unarchive(repo)
    expect(await agedBy(361)).toEqual({ checked: 1 })
    expect(await statusOf(id)).toEqual({ status: 'initializing', statusReason: null })
    const started = await platform('outbox').whereLike('dedupeKey', `git-init/${id}/%`)
    expect(started).toHaveLength(2)
    // A connection in preparation is left to its workflow.
    expect(await agedBy(60 * 24)).toEqual({ checked: 0 })
    await platform('git_connections').where({ id }).delete()
  })

  test('many connections of one organization do not keep those of another waiting', async () => {
    const { id } = await connected()
    const { platform } = harness.deps.store
    const { id: _, ...row } = await platform('git_connections').where({ id }).first()
    const another = await harness.organization()
    const checkedAt = new Date(Date.now() - 60 * 60_000)
    const many = Array.from({ length: 4 }, () => ({ ...row, checkedAt }))
    const later = { ...row, organizationId: another.id, createdBy: null, checkedAt }
    later.checkedAt = new Date(Date.now() - 11 * 60_000)
    const made = await platform('git_connections')
      .insert([...many, later])
      .returning('id')
    const due = async () =>
      new Set((await dueConnections(platform, 2)).map((one) => one.organizationId))
    expect(await due()).toEqual(new Set([row.organizationId, another.id]))
    expect(await due()).toEqual(new Set([row.organizationId]))
    const ids = [id, ...made.map((one: { id: number }) => one.id)]
    await platform('git_connections').whereIn('id', ids).delete()
  })

  test('a renamed repository gets its new name before another repository takes the old one', async () => {
    const { id, repo } = await connected()
    await harness.peer.rename(repo, `${repo}-renamed`)
    await pass(id)
    const { defaultRepo, status } = (await user.get(`${path}/${id}`)).json().connection
    expect([defaultRepo, status]).toEqual([`${repo}-renamed`, 'healthy'])
    await harness.peer.createRepository(repo, { 'main.js': '// another\n' })
    await pass(id)
    expect(await statusOf(id)).toEqual({ status: 'healthy', statusReason: null })
  })

  test('a rate limit does not mark the token as refused', async () => {
    const { id } = await connected()
    const limit = { 'x-ratelimit-remaining': '0', 'retry-after': '60' }
    harness.peer.server.fault = () => ({ status: 403, json: {}, headers: limit })
    try {
      await pass(id)
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(await statusOf(id)).toEqual({ status: 'healthy', statusReason: null })
  })

  test('another repository under the old name is not treated as the connected one', async () => {
    const { id, repo } = await connected()
    await harness.peer.rename(repo, `${repo}-moved`)
    await harness.peer.createRepository(repo, { 'main.js': '// another\n' })
    await pass(id)
    expect(await statusOf(id)).toEqual({
      status: 'error',
      statusReason: `${repo} is another repository by now.`,
    })
  })

  test('an unreachable host is reported with a fixed message, and is healthy once it is back', async () => {
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

  test('a webhook that still pends after a day is registered anew, once a day', async () => {
    const { id, repo } = await connected()
    const { platform } = harness.deps.store
    const made = await user.post('/api/pipelines', {
      name: `pending-${id}`,
      appGitConnectionId: id,
      appRepo: repo,
      appPath: 'a',
      triggers: { push: true },
    })
    expect(made.statusCode, made.body).toBe(201)
    const pipelineId = Number(made.json().pipeline.id)
    const set = async (webhookState: string, hours: number) => {
      const change = { webhookState, createdAt: new Date(Date.now() - hours * 3_600_000) }
      await platform('git_connections').where({ id }).update(change)
      await platform('pipelines').where({ id: pipelineId }).update(change)
    }
    const started = async (): Promise<string[]> => {
      const rows = platform('outbox').whereLike('dedupeKey', `git-webhook/${id}/%day-%`)
      return (await rows.orderBy('id').select('workflowId')).map(({ workflowId }) => workflowId)
    }
    const org = `org-${user.organizationId}/git-webhook/${id}`
    const ofDay = (day: number) => [`${org}/day-${day}`, `${org}/pipeline-${pipelineId}-day-${day}`]
    // The registration of the request is still tried.
    await set('pending', 23)
    await pass(id)
    expect(await started()).toEqual([])
    await set('pending', 25)
    await pass(id)
    await pass(id)
    expect(await started()).toEqual(ofDay(1))
    harness.peer.server.fault = () => 'hang-up'
    try {
      await set('pending', 49)
      await pass(id)
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(await started()).toEqual(ofDay(1))
    await pass(id)
    expect(await started()).toEqual([...ofDay(1), ...ofDay(2)])
    await set('active', 73)
    await pass(id)
    expect(await started()).toHaveLength(4)
  })

  test('a connection that was checked within ten minutes is not checked again', async () => {
    await connected()
    const calls = harness.peer.server.calls.length
    expect(await pass()).toEqual({ checked: 0 })
    expect(harness.peer.server.calls.length).toBe(calls)
  })
})
