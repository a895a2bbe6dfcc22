import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { PeerAnswer } from '../../harness/git/peer-server.ts'

const path = '/api/git/connections'

// These cases do not depend on the provider, so one provider is enough.
describe('connections that are refused, or whose host fails', () => {
  let harness: GitHarness
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer)
  })
  afterAll(async () => harness.close())

  const repository = async () => {
    counter += 1
    const name = `acme/refused-${counter}`
    await harness.peer.createRepository(name, { 'main.tf': '# hi\n' })
    return name
  }
  const owner = async () => (await harness.organization()).user('Owner')
  const answering = async <T>(answer: PeerAnswer, work: () => Promise<T>): Promise<T> => {
    harness.peer.server.fault = () => answer
    try {
      return await work()
    } finally {
      harness.peer.server.fault = () => undefined
    }
  }
  /** Matches the commit that creates the marker, by the request or by its workflow. */
  const failingCommits = async <T>(
    { answer, times }: { answer: PeerAnswer; times: number },
    work: () => Promise<T>,
  ): Promise<T> => {
    let failed = 0
    harness.peer.server.fault = ({ method, path: asked }, when) => {
      if (when === 'after' || failed >= times) return undefined
      if (method !== 'POST' || !asked.endsWith('/repository/commits')) return undefined
      failed += 1
      return answer
    }
    try {
      return await work()
    } finally {
      harness.peer.server.fault = () => undefined
      expect(failed).toBeGreaterThan(0)
    }
  }

  test('400: an invalid host name causes no request, also not to the default host', async () => {
    const user = await owner()
    const repo = await repository()
    const port = harness.peer.server.port
    for (const host of [
      ' ',
      '\n',
      '//gitlab.com',
      '%67itlab.com',
      '-a.example',
      'a..example',
      '.example',
      '*.example',
      `${'a'.repeat(64)}.example`,
      'https://gitlab.example:0',
      'a b.example',
      `127.0.0.1:${port}\\@gitlab.example`,
    ]) {
      const answer = await user.post(path, harness.body(repo, { host }))
      expect([answer.statusCode, answer.json().code], host).toEqual([400, 'git_host_invalid'])
    }
    for (const host of ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]']) {
      const answer = await user.post(path, harness.body(repo, { host }))
      expect([answer.statusCode, answer.json()], host).toMatchObject([
        400,
        { code: 'address_not_allowed', details: [{ path: 'host' }] },
      ])
    }
  })

  test('400: an address of a repository that cannot be decoded', async () => {
    const user = await owner()
    const repoUrl = `${harness.peer.server.url}/acme/%zz`
    const { repo: _, ...body } = harness.body('acme/any')
    const answer = await user.post(path, { ...body, repoUrl })
    expect([answer.statusCode, answer.json().details[0].path]).toEqual([400, 'repoUrl'])
  })

  test('400: a branch is checked even without a repository', async () => {
    const user = await owner()
    const { repo: _, ...body } = harness.body('acme/any')
    for (const branch of ['a b', 'HEAD', '-x', 'refs/tags/v1']) {
      const answer = await user.post(path, { ...body, branch })
      expect([answer.statusCode, answer.json().details[0].path], branch).toEqual([400, 'branch'])
    }
  })

  test('409: the full name of a branch (refs/heads/…) claims the same branch', async () => {
    const [one, two] = [await owner(), await owner()]
    const repo = await repository()
    const made = await one.post(path, harness.body(repo, { branch: 'refs/heads/main' }))
    expect(made.json().connection.defaultBranch).toBe('main')
    const again = await two.post(path, harness.body(repo, { branch: 'main' }))
    expect([again.statusCode, again.json().code]).toEqual([409, 'repo_already_connected'])
  })

  test('400: an invalid move of a connection names the field of this request', async () => {
    const user = await owner()
    const { id } = (await user.post(path, harness.body(await repository()))).json().connection
    for (const [change, where] of [
      [{ defaultRepo: 'acme/nowhere' }, 'defaultRepo'],
      [{ defaultRepo: 'no-owner' }, 'defaultRepo'],
      [{ defaultBranch: 'a..b' }, 'defaultBranch'],
    ] as const) {
      const answer = await user.patch(`${path}/${id}`, change)
      expect([answer.statusCode, answer.json().details[0].path]).toEqual([400, where])
    }
  })

  test('503: a refusal by the host is reported with its reason, and is not a conflict', async () => {
    const user = await owner()
    const repo = await repository()
    const { id } = (await user.post(path, harness.body(repo))).json().connection
    const gone = { status: 410, json: { message: 'This API is gone' } }
    for (const ask of [
      async () => user.post(path, harness.body(repo)),
      async () => user.get(`${path}/${id}/repos`),
      async () => user.patch(`${path}/${id}`, { defaultBranch: 'live' }),
    ])
      expect((await answering(gone, ask)).statusCode).toBe(503)
    const listed = await answering(gone, async () => user.get(`${path}/${id}/repos`))
    expect(listed.json().error).toBe('GitLab refused: This API is gone')
  })

  test('503: a rate limit sets Retry-After and does not mark the token as refused', async () => {
    const user = await owner()
    const { id } = (await user.post(path, harness.body(await repository()))).json().connection
    const limit = {
      status: 403,
      json: { message: 'API rate limit exceeded' },
      headers: { 'retry-after': '30' },
    }
    const answer = await answering(limit, async () => user.post(`${path}/${id}/validate`))
    expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([
      503,
      'git_rate_limited',
      '30',
    ])
    const { status, statusReason } = (await user.get(`${path}/${id}`)).json().connection
    expect([status, statusReason]).toEqual(['healthy', null])
  })

  test('201: a host that fails before the marker is retried', async () => {
    const user = await owner()
    const repo = await repository()
    const away = { status: 503, text: 'maintenance' }
    const made = await failingCommits({ answer: away, times: 1 }, async () =>
      user.post(path, harness.body(repo)),
    )
    expect([made.statusCode, made.json()]).toMatchObject([
      201,
      { connection: { status: 'healthy' } },
    ])
    expect(await harness.peer.tree(repo)).toHaveProperty(['.cloud-control/owner.json'])
  })

  test('503: the host refuses the marker: no connection is left, and the branch is free', async () => {
    const [one, two] = [await owner(), await owner()]
    const repo = await repository()
    const no = { status: 403, json: { message: 'Commits need a ticket' } }
    const refused = await failingCommits({ answer: no, times: Infinity }, async () =>
      one.post(path, harness.body(repo)),
    )
    expect([refused.statusCode, refused.json().error]).toEqual([
      503,
      'GitLab refused: Commits need a ticket',
    ])
    expect((await one.get(path)).json().connections).toEqual([])
    const undone = (await harness.events(one, 'git.connection_disconnected'))[0]
    expect(undone?.detail).toEqual({ reason: 'git_forbidden' })
    expect((await two.post(path, harness.body(repo))).statusCode).toBe(201)
  })

  test('503: the host refuses the marker of a move: the connection keeps its branch', async () => {
    const user = await owner()
    const [old, other] = [await repository(), await repository()]
    const { id } = (await user.post(path, harness.body(old))).json().connection
    const no = { status: 403, json: { message: 'Commits need a ticket' } }
    const refused = await failingCommits({ answer: no, times: Infinity }, async () =>
      user.patch(`${path}/${id}`, { defaultRepo: other }),
    )
    expect(refused.statusCode).toBe(503)
    expect((await user.get(`${path}/${id}`)).json().connection.defaultRepo).toBe(old)
  })
})
