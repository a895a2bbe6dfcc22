import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('the patterns of a pipeline', () => {
  let harness: GitHarness
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  })
  afterAll(async () => harness?.close())

  const connect = async (user: TestUser) => {
    counter += 1
    const repo = `acme/patterns-${counter}`
    await harness.peer.createRepository(repo, { 'main.js': '// hi\n' })
    const made = await user.post(
      '/api/git/connections',
      harness.body(repo, { repoType: 'application' }),
    )
    expect(made.statusCode, made.body).toBe(201)
    return { appGitConnectionId: Number(made.json().connection.id), appRepo: repo }
  }
  const application = async () => {
    const org = await harness.organization()
    const [owner, deployer] = [await org.user('Owner'), await org.user('Deployer')]
    const source = await connect(owner)
    const made = await deployer.post('/api/pipelines', { name: 'shop', ...source })
    expect(made.statusCode, made.body).toBe(201)
    const { pipeline } = made.json()
    return { owner, deployer, source, pipeline, url: `/api/pipelines/${pipeline.id}` }
  }
  test('400: patterns that have more than 8 KiB together; more of them that were stored before can only become fewer', async () => {
    const { owner, deployer, pipeline, source, url } = await application()
    const globs = (bytes: number, word = 'a') =>
      Array.from({ length: bytes / 256 }, (_, n) => `${word}${n}/`.padEnd(256, 'x'))
    const refused = async (sent: Promise<{ statusCode: number; json(): { error: string } }>) => {
      const answer = await sent
      expect(answer.statusCode).toBe(400)
      expect(answer.json().error).toContain('Remove patterns')
      expect(answer.json().error).toContain('8192')
    }
    const patch = async (triggers: object) => deployer.patch(url, { triggers })
    const wide = Array.from({ length: 9 }, (_, n) => `${n}${'é'.repeat(499)}`)
    await refused(patch({ tags: wide }))
    await refused(owner.post('/api/pipelines', { name: 'w', ...source, triggers: { paths: wide } }))
    expect((await patch({ paths: globs(4_096), tags: globs(4_096) })).statusCode).toBe(200)
    // With what the pipeline has of the other kind.
    await refused(patch({ paths: globs(4_096 + 256, 'b') }))
    await harness.deps.store
      .platform('pipelines')
      .where({ id: pipeline.id })
      .update({ triggerPaths: wide })
    const triggers = { push: true, paths: wide, tags: globs(4_096) }
    expect((await deployer.patch(url, { triggers, sbom: 'required' })).statusCode).toBe(200)
    await refused(patch({ tags: globs(4_096, 'b').concat('one') }))
    expect((await patch({ tags: [] })).statusCode).toBe(200)
    expect((await patch({ paths: ['src/**'] })).statusCode).toBe(200)
  })
})
