import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanResource } from '../../../domain/clouds/clean-resource.ts'
import {
  connectedAccount,
  resourceRows,
  type ResourceRow,
} from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

type Shown = { cloudId: string; tags: Record<string, string> }

/** As a sync keeps what an endpoint of the account's own sends. */
function kept(cloudId: string, tags: Record<string, string>): ResourceRow {
  const found = { cloudId, service: 's3', type: 's3:bucket', name: cloudId, region: 'r', tags }
  const clean = cleanResource(found)
  if (!clean) throw new Error('dropped')
  return clean
}

const tagsOf = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [n.toString(36).padStart(3), value]))

describe('what an account or a bill can make of the answers about its resources', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const at = { organizationId: org.id, accountId: await connectedAccount(harness, org.id) }
    return { at, viewer: await org.user('Viewer') }
  }

  /** The bodies of all pages of 200. */
  const pages = async ({ viewer }: Awaited<ReturnType<typeof made>>) => {
    const bodies: string[] = []
    for (let cursor = ''; ;) {
      const answer = await viewer.get(`/api/cloud/resources?limit=200${cursor}`)
      expect(answer.statusCode, answer.body).toBe(200)
      bodies.push(answer.body)
      const { nextCursor } = answer.json()
      if (nextCursor === null) return bodies
      cursor = `&cursor=${nextCursor}`
    }
  }

  const resourcesOf = (body: string): Shown[] => JSON.parse(body).resources

  test.each([
    ['short', ''],
    ['long', 'x'.repeat(60)],
  ])(
    '200: a page ends by the bytes of %s tags, and the pages hold each resource once',
    async (_, value) => {
      const world = await made()
      const rows = Array.from({ length: 60 }, (_each, n) =>
        kept(`arn:aws:s3:::${n}`, tagsOf(21_800, value)),
      )
      await resourceRows(harness, world.at, rows)
      const bodies = await pages(world)
      expect(bodies.length).toBeGreaterThan(1)
      expect(Math.max(...bodies.map((body) => body.length))).toBeLessThan(450_000)
      const all = bodies.flatMap(resourcesOf)
      expect(all.map(({ cloudId }) => cloudId).toSorted()).toEqual(
        rows.map(({ cloudId }) => cloudId).toSorted(),
      )
      expect(all.every(({ tags }) => Object.keys(tags).length <= 1_000)).toBe(true)
    },
    60_000,
  )

  test('200: a resource that is larger than a page is a page of its own', async () => {
    const world = await made()
    // Six bytes as JSON for each of the 65,536 that are kept.
    const rows = ['a', 'b', 'c'].map((id) => kept(`arn:${id}`, { key: '\u0001'.repeat(65_533) }))
    await resourceRows(harness, world.at, rows)
    const found = (await pages(world)).map(resourcesOf)
    expect(found.map((page) => page.length)).toEqual([1, 1, 1])
    expect(new Set(found.flat().map(({ cloudId }) => cloudId)).size).toBe(3)
  })

  test('200: tags make the import blocks no fewer, names and ids do', async () => {
    const world = await made()
    const rows = Array.from({ length: 60 }, (_, n) =>
      kept(`arn:aws:s3:::b-${n}`, tagsOf(1_000, '')),
    )
    await resourceRows(harness, world.at, rows)
    const { body } = await world.viewer.get('/api/cloud/resources/imports')
    expect(body.match(/^import \{$/gm)).toHaveLength(60)
    expect(body).not.toContain('There are more')

    const long = await made()
    const large = Array.from({ length: 200 }, (_, n) =>
      kept(`arn:aws:s3:::${String(n).padStart(1_980, '値')}`, {}),
    )
    await resourceRows(harness, long.at, large)
    const answer = await long.viewer.get('/api/cloud/resources/imports')
    const blocks = answer.body.match(/^import \{$/gm) ?? []
    expect(blocks.length).toBeLessThan(200)
    expect(answer.body).toContain(`# There are more than ${blocks.length}: narrow the filters.`)
  }, 60_000)

  test('200: the summary has the 1,000 largest services and regions, and the total of all', async () => {
    const { at, viewer } = await made()
    const many = 3_000
    const name = (n: number) => String(n).padStart(150, '値')
    const rows = Array.from({ length: many }, (_, n) => ({
      cloudId: `arn:${n}`,
      // The last ten of each are of two resources.
      service: name(n < many - 10 ? n : n - 10),
      region: name(n < many - 10 ? n : n - 10),
    }))
    for (let n = 0; n < many; n += 1_000) await resourceRows(harness, at, rows.slice(n, n + 1_000))
    const answer = await viewer.get('/api/cloud/resources/summary')
    const { total, byProvider, byService, byRegion, managed, unmanaged } = answer.json()
    expect([total, managed, unmanaged, byProvider]).toEqual([
      many,
      0,
      many,
      [{ value: 'aws', count: many }],
    ])
    for (const counts of [byService, byRegion]) {
      expect(counts).toHaveLength(1_000)
      expect(counts.filter(({ count }: { count: number }) => count === 2)).toHaveLength(10)
      expect(counts[9]).toEqual({ value: name(many - 11), count: 2 })
    }
    expect(Buffer.byteLength(answer.body)).toBeLessThan(1_000_000)
  }, 60_000)
})
