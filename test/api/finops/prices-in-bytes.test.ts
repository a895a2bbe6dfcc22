import { afterAll, beforeAll, expect, test } from 'vitest'
import { prices } from '../../../store/finops/prices.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const price = {
  provider: 'aws',
  resourceType: 'aws_instance',
  monthlyPrice: '7.59',
  currency: 'USD',
  source: 'manual',
  validFrom: '2026-01-01',
}
const matchOf = (members: number, character: string) =>
  Object.fromEntries(
    Array.from({ length: members }, (_, n) => [
      `a${String(n).padStart(199, 'a')}`,
      character.repeat(1_000),
    ]),
  )

/** As they were stored before one `match` was held to 4 KiB. */
test('200: a page of the price book ends by its bytes, and the pages have each price once', async () => {
  const org = await harness.organization()
  const viewer = await org.user('Viewer')
  const made: number[] = []
  await harness.deps.store.tenant(org.id, async (tenant) => {
    for (let n = 0; n < 40; n += 1)
      made.push((await prices(tenant).create({ ...price, match: matchOf(20, '\u0001') })).id)
  })
  const ids: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const more: string = cursor && `&cursor=${cursor}`
    const { statusCode, body } = await viewer.get(`/api/finops/prices?limit=200${more}`)
    expect(statusCode, body.slice(0, 500)).toBe(200)
    expect(Buffer.byteLength(body)).toBeLessThan(1_048_576)
    const found = JSON.parse(body)
    ids.push(...found.prices.map(({ id }: { id: number }) => id))
    cursor = found.nextCursor
  }
  expect(ids).toEqual(made)
})

test('201, 400: a match of more than 4 KiB of JSON is refused with what to do', async () => {
  const org = await harness.organization()
  const sre = await org.user('SRE · Cloud Admin')
  const body = (match: object) => ({ ...price, monthlyPrice: 7.59, match })
  const made = await sre.post('/api/finops/prices', body(matchOf(3, 'a')))
  expect(made.statusCode, made.body).toBe(201)
  const url = `/api/finops/prices/${made.json().price.id}`
  for (const match of [matchOf(4, 'a'), matchOf(3, 'é'), matchOf(1, '\u0001')])
    for (const answer of [
      await sre.post('/api/finops/prices', body(match)),
      await sre.patch(url, { match }),
    ]) {
      expect(answer.statusCode, answer.body.slice(0, 500)).toBe(400)
      expect(answer.json()).toMatchObject({
        code: 'validation_failed',
        details: [
          {
            path: 'match',
            message:
              'is more than 4 KiB of JSON. Name only the attributes that decide the price, with shorter values',
          },
        ],
      })
    }
})
