import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// The real OpenTofu, in the real sandbox.
describe('POST /api/workspaces/{id}/configuration/format', () => {
  let harness: Harness
  let user: TestUser
  let url: string
  beforeAll(async () => {
    harness = await createHarness()
    const org = await harness.organization()
    user = await org.user('Deployer')
    url = `${(await org.workspace({ by: user })).url}/configuration/format`
  })
  afterAll(async () => harness.close())
  const format = async (text: string) => user.post(url, { text })

  test('200: as tofu fmt writes it, also 70 KB of blocks; nothing is stored', async () => {
    const answer = await format('a=1\nlonger = [ 2,3]\nx {\ny="${ b }"\n}\n')
    expect(answer.json()).toEqual({
      ok: true,
      text: 'a      = 1\nlonger = [2, 3]\nx {\n  y = b\n}\n',
    })
    const large = await format('x "y" {\n  a=1\n}\n\n'.repeat(4_000))
    expect(large.json().text).toBe('x "y" {\n  a = 1\n}\n\n'.repeat(4_000))
    const versions = (await user.get(url.replace('/format', '/versions'))).json().versions
    expect(versions).toHaveLength(1)
  })

  test('400: an error of the text, with its line', async () => {
    const refused = await format('a = 1\nb = \n')
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({
      code: 'file_not_formatted',
      details: [{ path: 'text', line: 2 }],
    })
  })

  test('400: what is no text of HCL at all, and a text that is too long', async () => {
    for (const text of ['\0', '\ufeff}{', '"'.repeat(1_000), '${'.repeat(5_000)])
      expect((await format(text)).statusCode, JSON.stringify(text.slice(0, 9))).toBe(400)
    expect([400, 413]).toContain((await format('#'.repeat(256 * 1_024 + 1))).statusCode)
  })

  test('429: one at once for an organization, and another one is not held up', async () => {
    const other = await harness.organization()
    const stranger = await other.user('Deployer')
    const theirs = `${(await other.workspace({ by: stranger })).url}/configuration/format`
    const both = [format('a=1'), format('a=2'), format('a=3')]
    const [mine, elsewhere] = [
      await Promise.all(both),
      await stranger.post(theirs, { text: 'a=1' }),
    ]
    expect(mine.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 429, 429,
    ])
    expect(elsewhere.json().text).toBe('a = 1')
    // The place is free again.
    expect((await format('a=1')).statusCode).toBe(200)
  })

  test('403, 404: a Viewer, and another organization', async () => {
    const stranger = await (await harness.organization()).user('Owner')
    expect((await stranger.post(url, { text: 'a=1' })).statusCode).toBe(404)
    const org = await harness.organization()
    const workspace = await org.workspace()
    const viewer = await org.user('Viewer')
    const refused = await viewer.post(`${workspace.url}/configuration/format`, { text: 'a=1' })
    expect(refused.statusCode).toBe(403)
  })
})
