import { createRequire } from 'node:module'
import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bitbucketCloudPeer } from './bitbucket-cloud-peer.ts'
import type { GitPeer } from './git-peer.ts'
import { gitlabPeer } from './gitlab-peer.ts'

// Checks the test peers with the providers' published clients, which do not share code with the
// product.
const repo = 'acme/driven'

type Call<Data = unknown> = (params: Record<string, unknown>) => Promise<{ data: Data }>
type BitbucketClient = {
  repositories: {
    get: Call<{ uuid: string }>
    list: Call<{ values: Array<{ uuid: string }> }>
    listGlobal: Call
  }
  refs: { getBranch: Call<{ target: { hash: string } }>; createBranch: Call }
  source: { read: Call<ArrayBuffer>; createFileCommit: Call }
  pullrequests: { create: Call<{ links: { html: { href: string } } }> }
}
// Required, not imported: its types come as sources that the current compiler rejects.
const { Bitbucket } = createRequire(import.meta.url)('bitbucket') as {
  Bitbucket: new (options: Record<string, unknown>) => BitbucketClient
}

describe('GitLab, by @gitbeaker/rest', () => {
  let peer: GitPeer
  let api: InstanceType<typeof Gitlab<false>>
  beforeAll(async () => {
    peer = await gitlabPeer()
    await peer.createRepository(repo, { 'a.tf': '# a\n' })
    api = new Gitlab({ host: peer.server.url, token: peer.token() })
  })
  afterAll(async () => peer.close())

  test('the user, projects, branches, tree and files are read', async () => {
    expect((await api.Users.showCurrentUser()).username).toBe('ada')
    const project = await api.Projects.show(repo)
    expect(project).toMatchObject({ path_with_namespace: repo, default_branch: 'main' })
    const listed = await api.Projects.all({ search: 'driven', perPage: 1 })
    expect(listed.map(({ id }) => id)).toEqual([project.id])
    const { commit } = await api.Branches.show(repo, 'main')
    const tree = await api.Repositories.allRepositoryTrees(repo, { ref: commit.id })
    expect(tree.map(({ path }) => path)).toEqual(['a.tf'])
    const file = await api.RepositoryFiles.show(repo, 'a.tf', 'main')
    expect(Buffer.from(file.content, 'base64').toString()).toBe('# a\n')
  })

  test('one commit has many actions; an action on a file that has changed is refused', async () => {
    const { last_commit_id: last } = await api.RepositoryFiles.show(repo, 'a.tf', 'main')
    const commit = await api.Commits.create(repo, 'main', 'both', [
      { action: 'update', filePath: 'a.tf', content: '# new\n', lastCommitId: last },
      { action: 'create', filePath: 'b/c.tf', content: '# c\n' },
    ])
    expect(commit.id).toMatch(/^[0-9a-f]{40}$/)
    expect(await peer.tree(repo)).toEqual({ 'a.tf': '# new\n', 'b/c.tf': '# c\n' })
    await expect(
      api.Commits.create(repo, 'main', 'late', [
        { action: 'update', filePath: 'a.tf', content: '# late\n', lastCommitId: last },
      ]),
    ).rejects.toMatchObject({ cause: { response: { status: 400 } } })
  })

  test('a branch and a merge request are created once', async () => {
    const { commit } = await api.Branches.show(repo, 'main')
    await api.Branches.create(repo, 'side', commit.id)
    await api.MergeRequests.create(repo, 'side', 'main', 'please')
    const open = await api.MergeRequests.all({
      projectId: repo,
      sourceBranch: 'side',
      targetBranch: 'main',
    })
    expect(open.map(({ title }) => title)).toEqual(['please'])
    await expect(api.Branches.create(repo, 'side', commit.id)).rejects.toThrow()
  })
})

describe('Bitbucket Cloud, by bitbucket', () => {
  const at = { workspace: 'acme', repo_slug: 'driven' }
  let peer: GitPeer
  let api: BitbucketClient
  const head = async (name = 'main') => (await api.refs.getBranch({ ...at, name })).data.target.hash
  beforeAll(async () => {
    peer = await bitbucketCloudPeer()
    await peer.createRepository(repo, { 'a.tf': '# a\n' })
    api = new Bitbucket({
      baseUrl: `${peer.server.url}/2.0`,
      auth: { token: peer.token() },
      notice: false,
      // The platform's own fetch, which accepts the platform's FormData.
      request: { fetch: globalThis.fetch },
    })
  })
  afterAll(async () => peer.close())

  test('repositories, branches and files are read', async () => {
    const { data } = await api.repositories.get(at)
    expect(data).toMatchObject({ full_name: repo, mainbranch: { name: 'main' } })
    const listed = await api.repositories.list({ workspace: 'acme', role: 'member' })
    expect(listed.data.values.map(({ uuid }) => uuid)).toEqual([data.uuid])
    await expect(api.repositories.listGlobal({ role: 'member' })).rejects.toMatchObject({
      status: 410,
    })
    const file = await api.source.read({ ...at, commit: await head(), path: 'a.tf' })
    expect(Buffer.from(file.data).toString()).toBe('# a\n')
    await expect(api.refs.getBranch({ ...at, name: 'none' })).rejects.toMatchObject({ status: 404 })
  })

  test('one commit has many files; a commit on an outdated head is refused', async () => {
    const parents = await head()
    const send = async (content: string, message: string) => {
      const body = new FormData()
      body.append('/a.tf', new Blob([content]), 'a.tf')
      body.append('/b/c.tf', new Blob(['# c\n']), 'c.tf')
      return api.source.createFileCommit({
        ...at,
        branch: 'main',
        message,
        parents,
        _body: body,
      })
    }
    await send('# new\n', 'both')
    expect(await peer.tree(repo)).toEqual({ 'a.tf': '# new\n', 'b/c.tf': '# c\n' })
    await expect(send('# late\n', 'late')).rejects.toMatchObject({ status: 409 })
  })

  test('a branch and a pull request are created once', async () => {
    const hash = await head()
    const branch = { name: 'side', target: { hash } }
    await api.refs.createBranch({ ...at, _body: branch })
    await expect(api.refs.createBranch({ ...at, _body: branch })).rejects.toMatchObject({
      status: 400,
    })
    const made = await api.pullrequests.create({
      ...at,
      _body: {
        type: 'pullrequest',
        title: 'please',
        source: { branch: { name: 'side' } },
        destination: { branch: { name: 'main' } },
      },
    })
    expect(made.data.links.html.href).toMatch(/pull-requests\/1$/)
    expect(await peer.pullRequests(repo)).toEqual([{ from: 'side', into: 'main' }])
  })
})
