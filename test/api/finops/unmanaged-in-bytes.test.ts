import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestCharge } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { commitmentWorld } from './commitment-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const march = 'from=2026-03-01&to=2026-03-31'
type Found = {
  total: number
  resources: Array<{ cloudId: string; name: string; tags: Record<string, string>; amount: number }>
  nextCursor: string | null
}

const tagsOf = (count: number, length: number) =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, 'é'.repeat(length)])),
  )

/** Charges of resources, the first with the least cost. */
const resource = (n: number, more: TestCharge = {}): TestCharge => ({
  resource_id: `arn:aws:s3:::bucket-${n}`,
  resource_name: `bucket ${n}`,
  effective_cost: `${n}.01`,
  ...more,
})

async function worldWith(charges: TestCharge[]) {
  const { load, viewer } = await commitmentWorld(harness)
  await load(charges)
  return async (query = ''): Promise<{ body: string; found: Found }> => {
    const { statusCode, body } = await viewer.get(`/api/finops/unmanaged?${march}${query}`)
    expect(statusCode, body.slice(0, 500)).toBe(200)
    return { body, found: JSON.parse(body) }
  }
}

test('200: a page ends by its bytes, and the pages have each resource once', async () => {
  const count = 30
  const get = await worldWith(
    Array.from({ length: count }, (_, n) => resource(n + 1, { tags: tagsOf(60, 500) })),
  )
  const amounts: number[] = []
  let pages = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`
    const { body, found } = await get(`&limit=200${more}`)
    expect(Buffer.byteLength(body)).toBeLessThan(1_048_576)
    expect(found.resources.length).toBeGreaterThan(0)
    amounts.push(...found.resources.map(({ amount }) => amount))
    cursor = found.nextCursor
    pages += 1
  }
  expect(pages).toBeGreaterThan(2)
  expect(amounts).toEqual(Array.from({ length: count }, (_, n) => Number(`${count - n}.01`)))
})

/** As they were stored before their reader bounded the ids and names of resources. */
test('200: long names are cut, large tags and resources with long ids left out', async () => {
  const get = await worldWith([
    resource(1),
    resource(2, { resource_name: 'é'.repeat(900_000) }),
    resource(3, { tags: tagsOf(380, 2_500) }),
    resource(4, { resource_id: `arn:aws:s3:::${'a'.repeat(1_000_000)}` }),
  ])
  const { body, found } = await get()
  expect(Buffer.byteLength(body)).toBeLessThan(50_000)
  expect(found).toMatchObject({ total: 10.04, nextCursor: null })
  expect(found.resources).toMatchObject([
    { cloudId: 'arn:aws:s3:::bucket-3', tags: {}, amount: 3.01 },
    { cloudId: 'arn:aws:s3:::bucket-2', name: 'é'.repeat(2_000), amount: 2.01 },
    { cloudId: 'arn:aws:s3:::bucket-1', amount: 1.01 },
  ])
})
