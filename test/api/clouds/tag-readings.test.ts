import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe('the tag filter of GET /api/cloud/resources, whose keys may contain = too', () => {
  let harness: Harness
  let viewer: TestUser
  beforeAll(async () => {
    harness = await createHarness()
    const org = await harness.organization()
    viewer = await org.user('Viewer')
    const at = { organizationId: org.id, accountId: await connectedAccount(harness, org.id) }
    await resourceRows(harness, at, [
      { cloudId: 'early', tags: { 'a=b': `c${'='.repeat(30)}` } },
      { cloudId: 'last', tags: { [`k${'='.repeat(15)}`]: 'v' } },
      { cloudId: 'beyond', tags: { [`k${'='.repeat(16)}`]: 'v' } },
    ])
  })
  afterAll(async () => harness.close())

  const find = async (...tags: string[]) => {
    const query = tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&')
    return viewer.get(`/api/cloud/resources?${query}`)
  }
  const found = async (...tags: string[]) => {
    const answer = await find(...tags)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().resources.map(({ cloudId }: { cloudId: string }) => cloudId)
  }

  test('200: any of the first 16 of a filter may end the key', async () => {
    expect(await found(`a=b=c${'='.repeat(30)}`)).toEqual(['early'])
    expect(await found(`k${'='.repeat(16)}v`)).toEqual(['last'])
    expect(await found(`k${'='.repeat(17)}v`)).toEqual([])
    // By its key alone it is found.
    expect(await found(`k${'='.repeat(16)}`)).toEqual(['beyond'])
  })

  test('200: 64 readings in all', async () => {
    expect(await found(...Array.from({ length: 4 }, (_, n) => `t${n}${'='.repeat(400)}`))).toEqual(
      [],
    )
    expect(await found(...Array.from({ length: 50 }, (_, n) => `t${n}=v`))).toEqual([])
  })

  test('400: more than 64', async () => {
    const hostile = Array.from({ length: 30 }, () => 'tag='.padEnd(480, '='))
    const refused = {
      error: 'The tags have too many =, since each of them may end a key. Ask for fewer tags.',
      code: 'invalid',
      details: [{ path: 'tag', message: 'has more than 64 = in all, of each tag up to 16' }],
    }
    for (const tags of [hostile, Array.from({ length: 33 }, (_, n) => `t${n}=v=`)]) {
      const answer = await find(...tags)
      expect(answer.statusCode, answer.body).toBe(400)
      expect(answer.json()).toEqual(refused)
    }
    const imports = await viewer.get(
      `/api/cloud/resources/imports?${hostile.map((tag) => `tag=${tag}`).join('&')}`,
    )
    expect([imports.statusCode, imports.json()]).toEqual([400, refused])
  })
})
