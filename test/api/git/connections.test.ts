import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'

const path = '/api/git/connections'
const marker = '.cloud-control/owner.json'

describe.each(hostsOf('gitlabPeer', 'bitbucketDataCenterPeer'))(
  'connections to %s',
  (_, makePeer) => {
    let harness: GitHarness
    let counter = 0
    beforeAll(async () => {
      harness = await gitHarness(makePeer)
    })
    afterAll(async () => harness.close())

    const repository = async (
      files: Record<string, string> | undefined = { 'main.tf': '# hi\n' },
    ) => {
      counter += 1
      const name = `acme/infra-${counter}`
      await harness.peer.createRepository(name, files)
      return name
    }
    const isCloud = () => harness.peer.product === 'bitbucket-cloud'
    const owner = async () => (await harness.organization()).user('Owner')
    const dump = async (table: string) =>
      JSON.stringify(await harness.deps.store.platform(table).select())

    test('201: an infra repository gets the marker and the scaffold; its files stay', async () => {
      const user = await owner()
      const repo = await repository({ 'main.tf': '# hi\n', 'README.md': 'mine\n' })
      const body = harness.body(repo)
      const made = await user.post(path, body)
      expect([made.statusCode, made.json()]).toMatchObject([
        201,
        {
          ok: true,
          connection: {
            provider: harness.peer.provider,
            defaultRepo: repo,
            defaultBranch: 'main',
            repoType: 'infra',
            status: 'healthy',
            statusReason: null,
            tokenSet: true,
          },
        },
      ])
      const tree = await harness.peer.tree(repo)
      expect(Object.keys(tree).toSorted()).toEqual(
        [marker, '.gitignore', 'README.md', 'main.tf', 'workspaces/README.md'].toSorted(),
      )
      expect(tree['README.md']).toBe('mine\n')
      expect(JSON.parse(tree[marker] ?? '')).toMatchObject({
        version: 1,
        branch: 'main',
        connection: made.json().connection.id,
      })
      const [event] = await harness.events(user, 'git.connection_created')
      expect(event?.detail).toMatchObject({ repo, branch: 'main' })

      const listed = await user.get(path)
      expect(listed.json().connections).toEqual([made.json().connection])
      const token = String(body['token'])
      expect(made.body + listed.body + harness.logged()).not.toContain(token)
      for (const table of ['git_connections', 'outbox', 'audit_entries'])
        expect(await dump(table)).not.toContain(token)
    })

    test('201: an empty repository gets its first commits, an application repository only the marker', async () => {
      const user = await owner()
      counter += 1
      const empty = `acme/empty-${counter}`
      await harness.peer.createRepository(empty)
      const made = (await user.post(path, harness.body(empty))).json().connection
      expect(made).toMatchObject({ status: 'healthy', defaultBranch: 'main' })
      expect(Object.keys(await harness.peer.tree(empty))).toContain('.gitignore')

      const app = await repository()
      await user.post(path, harness.body(app, { repoType: 'application' }))
      expect(Object.keys(await harness.peer.tree(app)).toSorted()).toEqual([marker, 'main.tf'])
    })

    test('201: a missing branch is created from the default branch', async () => {
      const user = await owner()
      const repo = await repository()
      const made = await user.post(path, harness.body(repo, { branch: 'env/prod' }))
      expect(made.json().connection).toMatchObject({ status: 'healthy', defaultBranch: 'env/prod' })
      expect(Object.keys(await harness.peer.tree(repo, 'env/prod'))).toContain(marker)
      expect(Object.keys(await harness.peer.tree(repo))).toEqual(['main.tf'])
    })

    test('400: provider, host, token and branch are checked before the host is called', async () => {
      const user = await owner()
      const repo = await repository()
      const calls = harness.peer.server.calls.length
      for (const [wrong, where] of [
        [{ provider: 'gitea' }, 'provider'],
        [{ host: 'http://gitlab.example.com' }, 'host'],
        [{ host: 'ftp://x.example' }, 'host'],
        [{ host: 'https://u:p@x.example' }, 'host'],
        [{ host: 'x.example/path' }, 'host'],
        [{ token: 'short' }, 'token'],
        [{ token: `cc_pat_${'a'.repeat(49)}` }, 'token'],
        [{ token: 'AKIAIOSFODNN7EXAMPLE' }, 'token'],
        [{ repo: 'no-owner' }, 'repo'],
        [{ repo: '../../etc' }, 'repo'],
        [{ repo: 'https://elsewhere.example/a/b' }, 'repo'],
        [{ repoType: 'other' }, 'repoType'],
        [{ surprise: 1 }, 'surprise'],
      ] as const) {
        const answer = await user.post(path, harness.body(repo, wrong))
        expect(
          [answer.statusCode, answer.json().details?.[0]?.path],
          JSON.stringify(wrong),
        ).toEqual([400, where])
      }
      expect(harness.peer.server.calls.length).toBe(calls)
      const bad = await user.post(path, harness.body(repo, { branch: 'a..b' }))
      expect([bad.statusCode, bad.json().details[0].path]).toEqual([400, 'branch'])
      const gone = await user.post(path, harness.body('acme/nowhere'))
      expect([gone.statusCode, gone.json().code]).toEqual([400, 'git_repository_not_found'])
      // On a self-hosted product a token has another format.
      if (isCloud()) return
      const own = await user.post(path, harness.body(repo, { host: 'https://10.0.0.1' }))
      expect([own.statusCode, own.json().code]).toEqual([400, 'address_not_allowed'])
    })

    test('400: an archived repository, and a missing branch of an application repository', async () => {
      const user = await owner()
      const repo = await repository()
      const application = { repoType: 'application', branch: 'no-such' }
      const gone = await user.post(path, harness.body(repo, application))
      expect([gone.statusCode, gone.json().code]).toEqual([400, 'git_branch_not_found'])
      counter += 1
      const empty = `acme/empty-${counter}`
      await harness.peer.createRepository(empty)
      const none = await user.post(path, harness.body(empty, { repoType: 'application' }))
      expect([none.statusCode, none.json().code]).toEqual([400, 'git_branch_not_found'])
      // Bitbucket Cloud has no archived repositories.
      if (isCloud()) return
      await harness.peer.archive(repo)
      const archived = await user.post(path, harness.body(repo))
      expect([archived.statusCode, archived.json().code]).toEqual([400, 'git_repository_archived'])
      expect((await user.get(path)).json().connections).toEqual([])
    })

    test('503: a host with a truncated answer or at its rate limit; the attempt leaves no rows', async () => {
      const user = await owner()
      const repo = await repository()
      const limited = {
        status: 429,
        json: { message: 'slow down' },
        headers: { 'retry-after': '7' },
      }
      for (const [fault, code] of [
        [{ status: 500, json: { message: 'oops' } }, 'git_provider_unavailable'],
        ['half', 'git_provider_unavailable'],
        [limited, 'git_rate_limited'],
      ] as const) {
        harness.peer.server.fault = (_request, when) => (when === 'after' ? fault : undefined)
        const answer = await user.post(path, harness.body(repo))
        harness.peer.server.fault = () => undefined
        expect(answer.statusCode, answer.body).toBe(503)
        if (code === 'git_rate_limited') expect(answer.headers['retry-after']).toBe('7')
        expect(answer.json().code).toMatch(
          /^(git_provider_unavailable|git_rate_limited|connection_)/,
        )
        expect(answer.body).not.toMatch(/ECONN|127\.0\.0\.1|socket/)
      }
      expect((await user.get(path)).json().connections).toEqual([])
      expect(await harness.peer.tree(repo)).toEqual({ 'main.tf': '# hi\n' })
    })

    test('400: a read-only token is refused, and the error names the missing right', async () => {
      const user = await owner()
      const repo = await repository()
      const answer = await user.post(
        path,
        harness.body(repo, { token: harness.peer.token('read') }),
      )
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'git_permissions_missing'])
      expect(answer.json().missing).toHaveLength(1)
      expect(answer.json().error).toContain(answer.json().missing[0])
      expect(Object.keys(await harness.peer.tree(repo))).toEqual(['main.tf'])
    })

    test('503: a rejected token gives the provider’s reason, an unreachable host a fixed message', async () => {
      const user = await owner()
      const repo = await repository()
      const token = harness.peer.token()
      harness.peer.revoke(token)
      const rejected = await user.post(path, harness.body(repo, { token }))
      expect([rejected.statusCode, rejected.json().code]).toEqual([503, 'git_token_rejected'])
      expect(rejected.json().error).toMatch(/rejected the token: \S/)
      if (isCloud()) harness.peer.server.fault = () => 'hang-up'
      const nowhere = isCloud() ? {} : { host: 'http://127.0.0.1:1' }
      const down = await user.post(path, harness.body(repo, nowhere))
      harness.peer.server.fault = () => undefined
      expect(down.statusCode).toBe(503)
      expect(down.body).not.toMatch(/ECONN|127\.0\.0\.1|socket/)
    })

    test('409: a second organization cannot connect the repository in any spelling', async () => {
      const [one, two] = [await owner(), await owner()]
      const repo = await repository()
      expect((await one.post(path, harness.body(repo))).statusCode).toBe(201)
      const before = await harness.peer.tree(repo)
      const url = isCloud() ? 'https://bitbucket.org' : harness.peer.server.url
      const { hostname } = new URL(url)
      const web =
        harness.peer.product === 'bitbucket-data-center'
          ? `${url}/scm/${repo}.git`
          : `${url}/${repo}.git`
      for (const spelled of [
        { repo },
        { repo: repo.toUpperCase() },
        { repo: `${repo}.git` },
        { repo: undefined, repoUrl: web },
        { repo: undefined, repoUrl: `git@${hostname}:${repo}.git` },
        { repo: undefined, repoUrl: `ssh://git@${hostname}:7999/${repo}.git` },
        { branch: 'main' },
      ]) {
        const answer = await two.post(path, harness.body(repo, spelled))
        expect([answer.statusCode, answer.json().code], JSON.stringify(spelled)).toEqual([
          409,
          'repo_already_connected',
        ])
        expect(answer.json()).not.toHaveProperty('existingId')
      }
      await harness.peer.rename(repo, `${repo}-moved`)
      const moved = await two.post(path, harness.body(`${repo}-moved`))
      expect([moved.statusCode, moved.json().code]).toEqual([409, 'repo_already_connected'])
      expect(await harness.peer.tree(`${repo}-moved`)).toEqual(before)
      expect((await two.get(path)).json().connections).toEqual([])
    })

    test('409: another installation’s marker is kept, and the attempt leaves no rows', async () => {
      const user = await owner()
      const theirs = '{"version":1,"organization":"them","signature":"x"}\n'
      const repo = await repository({ [marker]: theirs })
      const answer = await user.post(path, harness.body(repo))
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'repo_already_connected'])
      expect(await harness.peer.tree(repo)).toEqual({ [marker]: theirs })
      expect((await user.get(path)).json().connections).toEqual([])
    })

    test('200: disconnecting removes the marker and the token, and another organization may connect', async () => {
      const [one, two] = [await owner(), await owner()]
      const repo = await repository()
      const { id } = (await one.post(path, harness.body(repo))).json().connection
      expect((await two.delete(`${path}/${id}`)).statusCode).toBe(404)
      expect((await one.delete(`${path}/${id}`)).json()).toEqual({ ok: true })
      expect(Object.keys(await harness.peer.tree(repo))).not.toContain(marker)
      expect(await harness.deps.store.platform('git_connections').where({ id })).toEqual([])
      const [event] = await harness.events(one, 'git.connection_disconnected')
      expect(event?.detail).toMatchObject({ repo, markerRemoved: true })
      expect((await two.post(path, harness.body(repo))).statusCode).toBe(201)
      // Another installation's marker is not removed.
      const [other] = (await two.get(path)).json().connections
      await harness.peer.edit(repo, { write: { [marker]: '{}' } })
      await two.delete(`${path}/${other.id}`)
      expect((await harness.peer.tree(repo))[marker]).toBe('{}')
    })

    test('200: a connection is moved to another branch, and the old branch is released', async () => {
      const [one, two] = [await owner(), await owner()]
      const repo = await repository()
      const { id } = (await one.post(path, harness.body(repo))).json().connection
      const changed = await one.patch(`${path}/${id}`, { defaultBranch: 'live' })
      expect(changed.json().connection).toMatchObject({ defaultBranch: 'live', status: 'healthy' })
      expect(Object.keys(await harness.peer.tree(repo))).not.toContain(marker)
      expect(Object.keys(await harness.peer.tree(repo, 'live'))).toContain(marker)
      expect((await two.post(path, harness.body(repo))).statusCode).toBe(201)
      const taken = await one.patch(`${path}/${id}`, { defaultBranch: 'main' })
      expect([taken.statusCode, taken.json().code]).toEqual([409, 'repo_already_connected'])
      expect(await harness.events(one, 'git.connection_default_set')).toHaveLength(1)
    })

    test('200 and 503: validate reports the current status', async () => {
      const user = await owner()
      const repo = await repository()
      const body = harness.body(repo)
      const { id } = (await user.post(path, body)).json().connection
      expect((await user.post(`${path}/${id}/validate`)).json().connection.status).toBe('healthy')
      harness.peer.revoke(String(body['token']))
      expect((await user.post(`${path}/${id}/validate`)).statusCode).toBe(503)
      expect((await user.get(`${path}/${id}`)).json().connection).toMatchObject({
        status: 'invalid_token',
        statusReason: expect.stringContaining('rejected the token'),
      })
      expect(await harness.events(user, 'git.connection_validated')).toHaveLength(2)
    })
  },
)
