import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

describe('configurations of any size', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('200: files of 9 MB are returned unchanged', async () => {
    const owner = await (await harness.organization()).user('Owner')
    const files = {
      'main.tf': `# ${'"\\é\u0001'.repeat(300_000)}`,
      'a/b.tf': '# é'.repeat(1_000_000),
    }
    const org = await harness.organization()
    const author = await org.user('Owner')
    const workspace = await org.workspace({ by: author, files })
    const answer = await author.get(`${workspace.url}/configuration`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toContain('application/json')
    const { configuration } = JSON.parse(answer.body)
    expect(configuration.files).toEqual(files)
    expect(configuration).toMatchObject({ number: 1, fileCount: 2 })
    expect((await owner.get(`${workspace.url}/configuration`)).statusCode).toBe(404)
  })

  test('200: files that were changed in the database never give a complete answer', async () => {
    const org = await harness.organization()
    const author = await org.user('Owner')
    const workspace = await org.workspace({ by: author })
    await harness.deps.store.platform.raw(
      `update configuration_versions set files = set_byte(files, length(files) - 5, 1) where workspace_id = ?`,
      [workspace.id],
    )
    const text = await author
      .get(`${workspace.url}/configuration`)
      .then(({ body }) => body)
      .catch(() => '')
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  test('200: a list names 40 files of each version and counts all files', async () => {
    const org = await harness.organization()
    const author = await org.user('Owner')
    const files = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [`${'n'.repeat(200)}${n}.tf`, '']),
    )
    const workspace = await org.workspace({ by: author, files })
    const answer = await author.get(`${workspace.url}/configuration/versions`)
    const [version] = answer.json().versions
    expect([version.fileNames.length, version.fileCount]).toEqual([40, 1_000])
    expect(Buffer.byteLength(answer.body)).toBeLessThan(20_000)
    const newest = (await author.get(`${workspace.url}/configuration`)).json().configuration
    expect(newest.fileNames).toHaveLength(1_000)
  })
})
