import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const main = (word: string) => `resource "terraform_data" "one" { input = "${word}" }\n`

describe.each(hostsOf('githubPeer', 'bitbucketCloudPeer'))('pull requests of %s', (_, makePeer) => {
  let harness: GitHarness
  let user: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(makePeer)
    user = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => harness.close())

  const connected = async (
    fields: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ) => {
    counter += 1
    const [repo, name] = [`acme/pulled-${counter}`, `pulled-${counter}`]
    await harness.peer.createRepository(repo, { 'live/main.tf': main('a'), 'docs/x.md': 'x\n' })
    const body = harness.body(repo, { repoType: 'application', ...more })
    const made = await user.post('/api/git/connections', body)
    expect(made.statusCode, made.body).toBe(201)
    const id = Number(made.json().connection.id)
    const workspace = await user.post('/api/workspaces', {
      name,
      gitConnectionId: id,
      source: { kind: 'git' },
      path: 'live',
      ...fields,
    })
    expect(workspace.statusCode, workspace.body).toBe(201)
    const ws = workspace.json().workspace
    return { repo, name, id, ws, url: `/api/workspaces/${ws.id}` }
  }
  type Connected = Awaited<ReturnType<typeof connected>>
  const proposed = async (
    { repo }: Connected,
    write: Record<string, string>,
    more: { fork?: boolean } = {},
  ) => {
    await harness.peer.branch(repo, 'main', 'feature')
    await harness.peer.edit(repo, { branch: 'feature', write })
    const number = await harness.peer.openPull(repo, { from: 'feature', ...more })
    expect((await harness.peer.deliver(repo, { pullRequest: number })).status).toBe(200)
    return number
  }
  const runs = async ({ url }: Connected) => (await user.get(`${url}/runs`)).json().runs
  const commented = async ({ repo }: Connected, number: number, words: RegExp) =>
    eventually(async () => {
      const all = await harness.peer.comments(repo, number)
      return all.some((text) => words.test(text)) && all
    })
  const handled = async ({ id }: Connected) =>
    eventually(async () => {
      const rows = await harness.deps.store
        .platform('git_deliveries')
        .where({ connectionId: id })
        .whereNotNull('pullRequest')
      return rows.length > 0 && rows.every((row: { handledAt: Date | null }) => row.handledAt)
    })

  test('one plan-only run and one comment, which later pushes update', async () => {
    const ws = await connected({ autoApply: true, criticality: 'production' })
    const number = await proposed(ws, { 'live/main.tf': main('b') })
    const [text, ...others] = await commented(ws, number, /\[planned\]\(.*\| 1 \| 0 \| 0 \|/)
    expect(others).toEqual([])
    const [run, ...more] = await runs(ws)
    expect(more).toEqual([])
    expect(run).toMatchObject({
      kind: 'plan',
      number: null,
      pullRequest: number,
      origin: { kind: 'pull_request', id: number },
      author: { id: null, label: `pull request #${number}` },
    })
    expect(text).toContain(`/workspaces/${ws.ws.id}/runs/${run.id}`)
    expect(text).toContain(run.commitSha.slice(0, 12))
    // The pull request's version is not the workspace's configuration, and its run cannot be
    // approved.
    expect((await user.get(ws.url)).json().workspace.configurationVersion).toBeNull()
    expect((await user.get(`${ws.url}/configuration/versions`)).json().versions).toEqual([])
    expect((await user.get(`${ws.url}/configuration`)).json().configuration).toBeNull()
    const approve = await user.post(`/api/pipelines/${ws.ws.pipelineId}/runs/${run.id}/approve`)
    expect(approve.statusCode).toBe(404)

    await harness.peer.edit(ws.repo, {
      branch: 'feature',
      write: { 'live/main.tf': `${main('b')}${main('c').replace('"one"', '"two"')}` },
    })
    await harness.peer.deliver(ws.repo, { pullRequest: number, action: 'updated' })
    expect(await commented(ws, number, /\| 2 \| 0 \| 0 \|/)).toHaveLength(1)
    // A repeated delivery changes nothing.
    await harness.peer.deliver(ws.repo, { pullRequest: number, action: 'updated' })
    await handled(ws)
    expect(await runs(ws)).toHaveLength(2)
  })

  test('a change outside the folder, into another branch or from a fork is not planned', async () => {
    const ws = await connected()
    await harness.peer.branch(ws.repo, 'main', 'release')
    const docs = await proposed(ws, { 'docs/x.md': 'y\n' })
    await handled(ws)
    // Of a branch of their own: the first pull request may still be looked into.
    await harness.peer.branch(ws.repo, 'main', 'live')
    await harness.peer.edit(ws.repo, { branch: 'live', write: { 'live/main.tf': main('b') } })
    const other = await harness.peer.openPull(ws.repo, { from: 'live', into: 'release' })
    await harness.peer.deliver(ws.repo, { pullRequest: other })
    const fork = await harness.peer.openPull(ws.repo, { from: 'live', fork: true })
    await harness.peer.deliver(ws.repo, { pullRequest: fork })
    await handled(ws)
    // The worker's own look at the branch may have planned its head.
    const ofPulls = (await runs(ws)).filter(
      ({ origin }: { origin: { kind: string } }) => origin.kind !== 'push',
    )
    expect(ofPulls).toEqual([])
    for (const number of [docs, other, fork])
      expect(await harness.peer.comments(ws.repo, number)).toEqual([])
  })

  test('changes that were merged meanwhile do not count as the pull request’s', async () => {
    const ws = await connected()
    await harness.peer.branch(ws.repo, 'main', 'feature')
    await harness.peer.edit(ws.repo, { write: { 'live/main.tf': main('merged') } })
    await harness.peer.edit(ws.repo, { branch: 'feature', write: { 'docs/x.md': 'y\n' } })
    const number = await harness.peer.openPull(ws.repo, { from: 'feature' })
    await harness.peer.deliver(ws.repo, { pullRequest: number })
    await handled(ws)
    expect((await runs(ws)).filter((run: { pullRequest: number }) => run.pullRequest)).toEqual([])
  })

  test('a hydrated workspace is planned with the files that a merge would give its folder', async () => {
    const ws = await connected({ source: { kind: 'inline' }, path: '' }, { repoType: 'infra' })
    await user.put(`${ws.url}/configuration`, { files: { 'main.tf': main('a') } })
    await eventually(
      async () =>
        (await user.get(`${ws.url}/hydrations`)).json().hydrations[0]?.state === 'written',
    )
    const file = `workspaces/${ws.name}/main.tf`
    const number = await proposed(ws, {
      [file]: `${main('a')}${main('b').replace('"one"', '"two"')}`,
    })
    await commented(ws, number, /\| 2 \| 0 \| 0 \|/)
    const { configuration } = (await user.get(`${ws.url}/configuration`)).json()
    expect(configuration.files).toEqual({ 'main.tf': main('a') })
  })

  test('an invalid configuration is reported in the comment, with its file names escaped', async () => {
    const ws = await connected()
    const number = await proposed(ws, { 'live/[a](b)@you/.terraform/x.tf': '#\n' })
    const [text] = await commented(ws, number, /not planned: /)
    expect(text).not.toMatch(/\[a\]|@you/)
    expect(await runs(ws)).toEqual([])
    await harness.peer.edit(ws.repo, {
      branch: 'feature',
      remove: ['live/[a](b)@you/.terraform/x.tf'],
      write: { 'live/main.tf': main('b') },
    })
    await harness.peer.deliver(ws.repo, { pullRequest: number, action: 'updated' })
    const all = await commented(ws, number, /\| 1 \| 0 \| 0 \|/)
    expect(all).toHaveLength(1)
    expect(all[0]).not.toContain('not planned')
  })

  test('a comment whose answer was lost is found again; a deleted comment is created again', async () => {
    const ws = await connected()
    let lost = 0
    harness.peer.server.fault = (request, when) => {
      const made = request.method === 'POST' && /comments$|notes$/.test(request.path)
      if (!made || when === 'before' || lost > 0) return undefined
      lost += 1
      return 'hang-up'
    }
    try {
      const number = await proposed(ws, { 'live/main.tf': main('b') })
      expect(await commented(ws, number, /\| 1 \| 0 \| 0 \|/)).toHaveLength(1)
      expect(lost).toBe(1)
      await harness.peer.removeComments(ws.repo, number)
      await harness.peer.edit(ws.repo, { branch: 'feature', write: { 'live/main.tf': main('c') } })
      await harness.peer.deliver(ws.repo, { pullRequest: number, action: 'updated' })
      expect(await commented(ws, number, /\| 1 \| 0 \| 0 \|/)).toHaveLength(1)
    } finally {
      harness.peer.server.fault = () => undefined
    }
  })
})
