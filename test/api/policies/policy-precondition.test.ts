import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { policies } from '../../../store/policies/policies.ts'
import type { TestUser } from '../../harness/test-user.ts'

const rego = (word: string) =>
  `package cloudcontrol\n\ndeny contains "${word}" if { input.run.destroy }\n`

// Two people edit one policy: the second save is refused until its author has seen the first one's rule.
describe('If-Match of PATCH /api/policies/{id}', () => {
  let harness: Harness
  let admin: TestUser
  let url: string
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const begin = async () => {
    const org = await harness.organization()
    admin = await org.user('Org Admin')
    // Not by a request, which would compile it.
    const { id } = await harness.deps.store.tenant(org.id, async (tenant) =>
      policies(tenant).create({
        name: 'one',
        rego: rego('one'),
        enforcement: 'mandatory',
        workspaces: 'all',
      }),
    )
    url = `/api/policies/${id}`
  }
  const save = async (change: object, tag?: string) =>
    admin.patch(url, change, tag === undefined ? {} : { headers: { 'if-match': tag } })
  const stored = async () => (await admin.get(url)).json().policy

  test('200: the tag of the newest version lets a save through, and the answer has the next tag', async () => {
    await begin()
    const read = await admin.get(url)
    expect(read.headers['etag']).toBe('"1"')
    const saved = await save({ rego: rego('two') }, String(read.headers['etag']))
    expect(saved.statusCode, saved.body).toBe(200)
    expect(saved.headers['etag']).toBe('"2"')
    expect(await stored()).toMatchObject({ version: 2, rego: rego('two') })
  })

  test('412: the tag of an older version, or none that is strong; nothing is written and nothing audited', async () => {
    await begin()
    await save({ name: 'theirs' })
    for (const tag of ['"1"', 'W/"2"', '2', '']) {
      const refused = await save({ name: 'mine', enforcement: 'advisory' }, tag)
      expect([refused.statusCode, refused.json().code], tag).toEqual([412, 'policy_overtaken'])
    }
    const kept = { version: 2, name: 'theirs', enforcement: 'mandatory' }
    expect(await stored()).toMatchObject(kept)
    const log = await admin.get('/api/audit?event=policy.updated')
    expect(log.json().entries).toHaveLength(1)
  })

  test('404: to a person of another organization, whatever the tag', async () => {
    await begin()
    const stranger = await (await harness.organization()).user('Owner')
    for (const tag of ['"1"', '"2"']) {
      const refused = await stranger.patch(url, { name: 'x' }, { headers: { 'if-match': tag } })
      expect(refused.statusCode).toBe(404)
    }
  })

  test('200: a save whose answer was lost is repeated with the tag of before', async () => {
    await begin()
    for (const _ of [1, 2]) {
      const saved = await save({ name: 'two' }, '"1"')
      expect(saved.statusCode, saved.body).toBe(200)
      expect(saved.json().policy.version).toBe(2)
    }
  })

  test('200 once, 412 else: of five saves at once on one version, one succeeds', async () => {
    await begin()
    const saves = Array.from({ length: 5 }, async (_, at) => save({ name: `of ${at}` }, '"1"'))
    const statuses = (await Promise.all(saves)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(4)
    expect((await stored()).version).toBe(2)
  })

  test('200: without a tag a change is made as before', async () => {
    await begin()
    await save({ name: 'theirs' })
    expect((await save({ name: 'mine' })).statusCode).toBe(200)
  })
})
