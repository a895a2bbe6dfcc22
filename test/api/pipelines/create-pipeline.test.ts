import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

const path = '/api/pipelines'

describe('POST /api/pipelines', () => {
  let harness: GitHarness
  let counter = 0
  beforeAll(async () => {
    // Needs no worker: a connection to an application repository is ready at once, and the tests
    // use no other ready one.
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  })
  afterAll(async () => harness.close())

  const connect = async (user: TestUser, repoType = 'application') => {
    counter += 1
    const repo = `acme/app-${counter}`
    await harness.peer.createRepository(repo, { 'main.js': '// hi\n' })
    // A connection without a default repository needs no preparation.
    const named = repoType === 'application' ? {} : { repo: undefined }
    const body = harness.body(repo, { repoType, ...named })
    const made = await user.post('/api/git/connections', body)
    expect(made.statusCode, made.body).toBe(201)
    return { id: Number(made.json().connection.id), repo }
  }
  const people = async () => {
    const org = await harness.organization()
    const [owner, deployer, viewer] = [
      await org.user('Owner'),
      await org.user('Deployer'),
      await org.user('Viewer'),
    ]
    return { org, owner, deployer, viewer }
  }

  test('201: an application with a connection and a repository has the same fields in every answer', async () => {
    const { owner, deployer, viewer } = await people()
    const { id, repo } = await connect(owner)
    const body = { name: 'shop', appGitConnectionId: id, appRepo: repo, strategy: 'rolling' }
    expect((await viewer.post(path, body)).statusCode).toBe(403)
    const made = await deployer.post(path, body)
    expect(made.statusCode, made.body).toBe(201)
    const { pipeline } = made.json()
    expect(pipeline).toMatchObject({
      name: 'shop',
      kind: 'application',
      managed: false,
      appGitConnectionId: id,
      appRepo: repo,
      targetWorkspaceId: null,
      strategy: 'rolling',
      criticality: 'standard',
    })
    expect((await viewer.get(path)).json().pipelines).toEqual([pipeline])
    expect((await viewer.get(`${path}/${pipeline.id}`)).json().pipeline).toEqual(pipeline)
    const { entries } = (await owner.get('/api/audit?event=pipeline.created')).json()
    expect(entries[0].target).toMatchObject({ kind: 'pipeline', label: 'shop' })
    const again = await deployer.post(path, { ...body, name: ' SHOP ' })
    expect([again.statusCode, again.json().existingId]).toEqual([409, pipeline.id])
  })

  test('201: the criticality is that of the target; the repository may be given by its address', async () => {
    const { org, owner } = await people()
    const { id, repo } = await connect(owner)
    const target = await org.workspace({ by: owner, criticality: 'production' })
    const made = await owner.post(path, {
      name: 'shop',
      kind: 'application',
      appGitConnectionId: id,
      appRepo: `${harness.peer.server.url}/${repo}.git`,
      targetWorkspaceId: target.id,
    })
    expect(made.json().pipeline, made.body).toMatchObject({
      appRepo: repo,
      targetWorkspaceName: target.name,
      criticality: 'production',
    })
  })

  test('400: the error names a missing field, a wrong type or another host', async () => {
    const { org, owner } = await people()
    const { id, repo } = await connect(owner)
    const infra = await connect(owner, 'infra')
    const target = await org.workspace({ by: owner })
    const whole = { name: 'shop', appGitConnectionId: id, appRepo: repo }
    const provisions = { name: 'x', kind: 'infrastructure', targetWorkspaceId: target.id }
    for (const [body, where] of [
      [{ name: 'shop' }, ['appGitConnectionId', 'appRepo']],
      [{ ...whole, appGitConnectionId: undefined }, ['appGitConnectionId']],
      [{ ...whole, appRepo: undefined }, ['appRepo']],
      [{ ...whole, appGitConnectionId: infra.id }, ['appGitConnectionId']],
      [{ ...whole, appRepo: 'no-owner' }, ['appRepo']],
      [{ ...whole, appRepo: 'acme/../../etc' }, ['appRepo']],
      [{ ...whole, appRepo: 'https://elsewhere.example/a/b' }, ['appRepo']],
      [{ ...whole, name: 'provision-shop' }, ['name']],
      [{ name: 'x', kind: 'infrastructure' }, ['targetWorkspaceId']],
      [{ ...provisions, appGitConnectionId: id }, ['appGitConnectionId']],
      [{ ...provisions, appRepo: repo }, ['appRepo']],
    ] as const) {
      const answer = await owner.post(path, body)
      const paths = answer.json().details?.map((detail: { path: string }) => detail.path)
      expect([answer.statusCode, paths], JSON.stringify(body)).toEqual([400, where])
    }
    expect((await owner.get(path)).json().pipelines).toHaveLength(1)
  })

  test('404: a connection or a target of another organization is not found', async () => {
    const [one, other] = [await people(), await people()]
    const [own, theirs] = [await connect(one.owner), await connect(other.owner)]
    const target = await other.org.workspace({ by: other.owner })
    const body = { name: 'shop', appGitConnectionId: own.id, appRepo: own.repo }
    for (const wrong of [
      { appGitConnectionId: theirs.id },
      { appGitConnectionId: theirs.id, appRepo: undefined },
      { targetWorkspaceId: target.id },
      { appGitConnectionId: 2_000_000_000 },
    ]) {
      const answer = await one.owner.post(path, { ...body, ...wrong })
      expect([answer.statusCode, answer.json()], JSON.stringify(wrong)).toEqual([
        404,
        { error: 'Not found', code: 'not_found' },
      ])
    }
  })

  test('200: a pipeline whose connection is deleted stays, without a source', async () => {
    const { owner } = await people()
    const { id, repo } = await connect(owner)
    const body = { name: 'shop', appGitConnectionId: id, appRepo: repo }
    const { pipeline } = (await owner.post(path, body)).json()
    expect((await owner.delete(`/api/git/connections/${id}`)).statusCode).toBe(200)
    const shown = (await owner.get(`${path}/${pipeline.id}`)).json().pipeline
    expect(shown).toMatchObject({ appGitConnectionId: null, appRepo: repo })
  })
})
