import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('short lists page by key, and a variables’ list has 50 without a limit', async () => {
  const owner = await (await harness.organization()).user('Owner')
  const workspace = (await owner.post('/api/workspaces', { name: 'shop' })).json().workspace
  const lists = [
    { path: `/api/workspaces/${workspace.id}/variables`, name: 'variables' },
    { path: '/api/auth/tokens', name: 'tokens' },
    { path: '/api/org/scim', name: 'tokens' },
  ] as const
  for (const { path, name } of lists) {
    const ids: number[] = []
    for (const key of ['c', 'a', 'b']) {
      const body =
        name === 'variables'
          ? { kind: 'terraform', key, value: 'x' }
          : { name: key, ...(path === '/api/auth/tokens' && { role: 'Viewer' }) }
      const made = await owner.post(path, body)
      expect(made.statusCode, made.body).toBe(201)
      ids.push(made.json().variable?.id ?? made.json().id)
    }
    const idsOf = (answer: Awaited<ReturnType<typeof owner.get>>): number[] =>
      answer.json()[name].map(({ id }: { id: number }) => id)
    const all = await owner.get(path)
    expect([idsOf(all), all.json().nextCursor]).toEqual([ids, null])
    const first = await owner.get(`${path}?limit=2`)
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    const rest = await owner.get(`${path}?limit=2&cursor=${first.json().nextCursor}`)
    expect([idsOf(rest), rest.json().nextCursor]).toEqual([ids.slice(2), null])
    expect((await owner.get(`${path}?limit=0`)).statusCode).toBe(400)
  }
  const [{ path }] = lists
  for (let at = 0; at < 48; at += 1)
    await owner.post(path, { kind: 'terraform', key: `v${at}`, value: 'x' })
  const page = (await owner.get(path)).json()
  expect(page.variables).toHaveLength(50)
  const next = (await owner.get(`${path}?cursor=${page.nextCursor}`)).json()
  expect([next.variables.length, next.nextCursor]).toEqual([1, null])
})
