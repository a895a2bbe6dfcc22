import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { commitmentWorld, covered } from './commitment-world.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** Charges as they were stored before their reader bounded the names of commitments. */
test('200: the list ends by its bytes, and its total is of all commitments', async () => {
  const { load, list } = await commitmentWorld(harness)
  const count = 1_000
  const long = (name: string, n: number) =>
    `${name} ${n} `.padEnd(n === count ? 500_000 : 3_000, '\u0001é')
  await load(
    Array.from({ length: count }, (_, index) => index + 1).map((n) =>
      covered(1, `${n}.01`, 'Used', {
        commitment_discount_id: long('id', n),
        commitment_discount_name: long('name', n),
        commitment_discount_type: long('type', n),
        commitment_discount_category: long('category', n),
      }),
    ),
  )
  const body = await list()
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(1_048_576)
  const shown: Array<Record<string, string | number>> = body.commitments
  expect(shown.length).toBeGreaterThan(5)
  expect(shown.map(({ amortised }) => amortised)).toEqual(
    shown.map((_, index) => Number(`${count - index}.01`)),
  )
  for (const name of ['id', 'name', 'type', 'category'])
    expect(String(shown[0]?.[name])).toBe(long(name, count).slice(0, 2_048))
  expect(body.total).toMatchObject({ commitments: count, amortised: 500_510, used: 500_510 })
})
