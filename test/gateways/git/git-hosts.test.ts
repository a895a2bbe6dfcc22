import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { GitHost } from '../../../gateways/git/git-host.ts'
import { eachProvider, failureOf } from '../../harness/git/each-provider.ts'

const files = {
  'README.md': 'hello\n',
  'a/one.tf': '# one\n',
  'a/two.tf': '# two\n',
  'b/x.tf': '# x\n',
}

// Each provider passes the same cases against its own peer.
eachProvider('%s', (provider) => {
  test('a valid token is accepted; a revoked one is 503 with the provider’s reason', async () => {
    const token = provider.peer.token()
    await provider.hostWith(token).checkToken()
    provider.peer.revoke(token)
    const error = await failureOf(provider.hostWith(token).checkToken())
    expect([error.fault, error.code]).toEqual(['unavailable', 'git_token_rejected'])
    expect(error.message).toMatch(
      /Bad credentials|401 Unauthorized|Token is invalid|Authentication failed/,
    )
    expect(error.message).not.toContain(token)
  })

  test('a repository’s id is the same in any case and after a rename', async () => {
    const { name } = await provider.repository(files)
    const found = await provider.host.repository(name)
    expect(found).toMatchObject({
      fullName: name,
      defaultBranch: 'main',
      private: true,
      archived: false,
    })
    expect((await provider.host.repository(name.toUpperCase())).id).toBe(found.id)
    await provider.peer.rename(name, `${name}-renamed`)
    expect((await provider.host.repository(`${name}-renamed`)).id).toBe(found.id)
  })

  test('an empty repository has no default branch, an archived one is marked, a missing one is not found', async () => {
    const empty = 'acme/empty-one'
    await provider.peer.createRepository(empty)
    expect((await provider.host.repository(empty)).defaultBranch).toBeNull()
    if (provider.peer.product !== 'bitbucket-cloud') {
      const { name } = await provider.repository(files)
      await provider.peer.archive(name)
      expect((await provider.host.repository(name)).archived).toBe(true)
    }
    expect((await failureOf(provider.host.repository('acme/nowhere'))).code).toBe('git_not_found')
  })

  test('the missing right of a read-only token is named', async () => {
    const { name } = await provider.repository(files)
    const found = await provider.host.repository(name)
    expect(await provider.host.missingRights(found, 'write')).toEqual([])
    const [missing] = await provider
      .hostWith(provider.peer.token('read'))
      .missingRights(found, 'write')
    expect(missing).toMatch(/^(repo|api|repository:write|REPO_WRITE)$/)
  })

  test('reads heads and files; null for missing ones', async () => {
    const { name, head } = await provider.repository(files)
    expect(head).toMatch(/^[0-9a-f]{40}$/)
    expect(await provider.host.head(name, 'no-such')).toBeNull()
    expect(await provider.host.readFile(name, { commit: head, path: 'a/one.tf' })).toBe('# one\n')
    expect(await provider.host.readFile(name, { commit: head, path: 'a/no.tf' })).toBeNull()
    const listed = await provider.host.listFiles(name, {
      branch: 'main',
      commit: head,
      folder: 'a',
    })
    expect([...listed.keys()].toSorted()).toEqual(['a/one.tf', 'a/two.tf'])
    // The id that `git hash-object` computes.
    expect(listed.get('a/one.tf')).toBe('b8aad57f977a9415403e0a45eb71e51eb90a003b')
    expect(
      await provider.host.listFiles(name, { branch: 'main', commit: head, folder: 'zz' }),
    ).toEqual(new Map())
  })

  test('a tag names a commit, also where it is annotated; null for a missing one', async () => {
    const { peer, host } = provider
    const { name, head } = await provider.repository(files)
    await peer.tag(name, 'rel/1')
    await peer.edit(name, { write: { 'a/one.tf': '# since\n' } })
    expect(await host.tag(name, 'rel/1')).toBe(head)
    for (const missing of ['rel', 'rel/2', 'main']) expect(await host.tag(name, missing)).toBeNull()
    const path = peer.path?.(name)
    // GitHub's emulator has no folder; its annotated tags are objects of its API.
    if (path === undefined) return
    const by = ['-c', 'user.name=A', '-c', 'user.email=a@x.example']
    const annotate = (tag: string, of: string) =>
      execFileSync('git', ['--git-dir', path, ...by, 'tag', '-a', '-m', 'one', tag, of])
    annotate('v1', head)
    annotate('v1-again', 'v1')
    for (const tag of ['v1', 'v1-again']) expect(await host.tag(name, tag)).toBe(head)
  })

  test('one commit writes, changes and removes many files', async () => {
    const { name, head } = await provider.repository(files)
    const commit = await provider.host.commit(name, {
      branch: 'main',
      expectedHead: head,
      message: 'all at once\n\nTrailer: yes',
      change: {
        write: { 'a/one.tf': '# new\n', 'c/deep/er.tf': 'ü\n', message: 'a file\n' },
        remove: ['a/two.tf'],
      },
    })
    expect(commit).not.toBe(head)
    expect(await provider.host.head(name, 'main')).toBe(commit)
    expect(await provider.peer.tree(name)).toEqual({
      'README.md': 'hello\n',
      'a/one.tf': '# new\n',
      'b/x.tf': '# x\n',
      'c/deep/er.tf': 'ü\n',
      message: 'a file\n',
    })
    expect((await provider.peer.messages(name))[0]).toBe('all at once\n\nTrailer: yes')
    const compared = await provider.host.compare(name, { base: head, head: commit })
    expect(compared.map(({ path, change }) => `${change} ${path}`).toSorted()).toEqual([
      'added c/deep/er.tf',
      'added message',
      'modified a/one.tf',
      'removed a/two.tf',
    ])
  })

  test('a commit on an outdated head is refused, and the other commit is kept', async () => {
    const { name, head } = await provider.repository(files)
    await provider.peer.edit(name, { write: { 'b/theirs.tf': 'theirs\n' } })
    const error = await failureOf(
      provider.host.commit(name, {
        branch: 'main',
        expectedHead: head,
        message: 'late',
        change: { write: { 'a/one.tf': 'late\n' }, remove: [] },
      }),
    )
    expect(error.code).toBe('git_head_moved')
    expect((await provider.peer.tree(name))['b/theirs.tf']).toBe('theirs\n')
  })

  test('of ten concurrent commits of the same new file exactly one succeeds', async () => {
    const { name, head } = await provider.repository(files)
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, async (__, index) =>
        provider.host.commit(name, {
          branch: 'main',
          expectedHead: head,
          message: `try ${index}`,
          change: { write: { '.cloud-control/owner.json': `${index}\n` }, remove: [] },
        }),
      ),
    )
    const won = tries.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
    expect(won).toHaveLength(1)
    expect((await provider.peer.tree(name))['.cloud-control/owner.json']).toBe(`${won[0]}\n`)
    for (const one of tries)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'git_head_moved' })
  })

  test('an empty repository gets its first commit once', async () => {
    const { name } = await provider.repository()
    const tries = await Promise.allSettled(
      ['one', 'two'].map(async (who) =>
        provider.host.commit(name, {
          branch: 'main',
          expectedHead: null,
          message: who,
          change: { write: { '.cloud-control/owner.json': who, 'README.md': who }, remove: [] },
        }),
      ),
    )
    const tree = await provider.peer.tree(name)
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(tree['.cloud-control/owner.json']).toBe(tree['README.md'])
  })

  test('creates a branch once, and finds it afterwards', async () => {
    const { name, head } = await provider.repository(files)
    await provider.host.createBranch(name, { branch: 'feature/x', commit: head })
    await provider.host.createBranch(name, { branch: 'feature/x', commit: head })
    expect(await provider.host.head(name, 'feature/x')).toBe(head)
  })

  test('a protected branch refuses a commit, and repeated requests open one pull request', async () => {
    const { name, head } = await provider.repository(files)
    await provider.peer.protect(name, 'main')
    const change = { write: { 'a/one.tf': '# by pull request\n' }, remove: [] }
    const direct = provider.host.commit(name, {
      branch: 'main',
      expectedHead: head,
      message: 'direct',
      change,
    })
    expect((await failureOf(direct)).code).toBe('git_branch_protected')
    await provider.host.createBranch(name, { branch: 'side', commit: head })
    await provider.host.commit(name, {
      branch: 'side',
      expectedHead: head,
      message: 'side',
      change,
    })
    const request = { from: 'side', into: 'main', title: 'please', body: 'why' }
    const first = await provider.host.pullRequest(name, request)
    expect(await provider.host.pullRequest(name, request)).toEqual(first)
    expect(await provider.peer.pullRequests(name)).toEqual([{ from: 'side', into: 'main' }])
  })

  test('all repositories are listed, and can be searched', async () => {
    for (let index = 0; index < 105; index += 1)
      await provider.peer.createRepository(`acme/many-${index}`)
    const found: string[] = []
    for (let page: number | null = 1; page !== null;) {
      const answer: Awaited<ReturnType<GitHost['repositories']>> = await provider.host.repositories(
        { page, near: 'acme/many-0' },
      )
      found.push(...answer.repos.map(({ fullName }) => fullName))
      page = answer.nextPage
    }
    expect(found.filter((name) => name.startsWith('acme/many-'))).toHaveLength(105)
    expect(new Set(found).size).toBe(found.length)
    const query = { q: 'many-104', near: 'acme/many-0' }
    const { repos } = await provider.host.repositories({ ...query, page: 1 })
    const { repos: second } = await provider.host.repositories({ ...query, page: 2 })
    expect([...repos, ...second].map(({ fullName }) => fullName)).toContain('acme/many-104')
  })
})
