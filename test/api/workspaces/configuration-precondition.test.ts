import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Two people edit the same files: the second save is refused until its author has seen the first one.
describe('If-Match of PUT /api/workspaces/{id}/configuration', () => {
  let harness: Harness
  let user: TestUser
  let url: string
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const begin = async () => {
    const org = await harness.organization()
    user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user, files: { 'main.tf': '# 1' } })
    url = `${workspace.url}/configuration`
  }
  const save = async (text: string, headers: Record<string, string>) =>
    user.put(url, { files: { 'main.tf': text } }, { headers })
  const newest = async () => (await user.get(url)).json().configuration

  test('201: the tag of the newest version lets a save through, and the answer has the next tag', async () => {
    await begin()
    const read = await user.get(url)
    expect(read.headers['etag']).toBe('"1"')
    const saved = await save('# 2', { 'if-match': String(read.headers['etag']) })
    expect(saved.statusCode).toBe(201)
    expect(saved.headers['etag']).toBe('"2"')
    expect((await user.get(`${url}?version=1`)).headers['etag']).toBe('"1"')
  })

  test('412: the tag of an older version; nothing is written and nothing audited', async () => {
    await begin()
    await save('# 2', {})
    const refused = await save('# mine', { 'if-match': '"1"' })
    expect(refused.statusCode).toBe(412)
    expect(refused.json().code).toBe('configuration_overtaken')
    expect(await newest()).toMatchObject({ number: 2, files: { 'main.tf': '# 2' } })
    const owner = await (await harness.organization()).user('Owner')
    expect((await owner.put(url, {}, { headers: { 'if-match': '"2"' } })).statusCode).toBe(404)
  })

  test('412: a weak tag, a tag without quotes, and a first save of files that are there', async () => {
    await begin()
    for (const tag of ['W/"1"', '1', '', '"1'])
      expect((await save('# 2', { 'if-match': tag })).statusCode, tag).toBe(412)
    expect((await save('# 2', { 'if-none-match': '*' })).statusCode).toBe(412)
    expect((await save('# 2', { 'if-match': '*' })).statusCode).toBe(201)
  })

  test('200: a save whose answer was lost is repeated with the tag of before', async () => {
    await begin()
    const headers = { 'if-match': '"1"' }
    expect((await save('# 2', headers)).statusCode).toBe(201)
    const again = await save('# 2', headers)
    expect([again.statusCode, again.json().configuration.number]).toEqual([200, 2])
  })

  test('201 once, 412 else: of ten saves at once on one version, one succeeds', async () => {
    await begin()
    const saves = Array.from({ length: 10 }, async (_, at) =>
      save(`# of ${at}`, { 'if-match': '"1"' }),
    )
    const statuses = (await Promise.all(saves)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(9)
    expect((await newest()).number).toBe(2)
  })

  test('201 once, 412 else: of two first saves at once, one succeeds', async () => {
    const org = await harness.organization()
    user = await org.user('Deployer')
    const { workspace } = (await user.post('/api/workspaces', { name: 'without-files' })).json()
    url = `/api/workspaces/${workspace.id}/configuration`
    expect((await user.get(url)).headers['etag']).toBeUndefined()
    const first = { 'if-none-match': '*' }
    const [one, two] = await Promise.all([save('# a', first), save('# b', first)])
    expect(new Set([one.statusCode, two.statusCode])).toEqual(new Set([201, 412]))
  })
})
