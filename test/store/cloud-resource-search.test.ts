import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cloudResources,
  type ListedResource,
  type ResourceFilters,
} from '../../store/clouds/cloud-resources.ts'
import { unwrap } from '../../store/driver/tenant.ts'
import { connectedAccount, resourceRows, type ResourceRow } from '../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

type Made = ResourceRow & { accountId: number; provider: 'aws' | 'gcp'; holder: number | null }

const count = 4_000

/** Numbers from 0 to 1, the same in each run with this seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('a search among many resources', () => {
  const seed = Date.now() % 1_000_000
  const random = randomOf(seed)
  /** Up to this, the small ones far more often. */
  const skewed = (most: number) => Math.floor(random() ** 3 * most)
  const oneOf = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('no values')
    return value
  }

  let harness: Harness
  let organizationId: number
  let accounts: Array<{ accountId: number; provider: 'aws' | 'gcp' }>
  let workspaceIds: number[]
  const all: Made[] = []

  const row = (n: number): ResourceRow => {
    const words = ['Prod', 'web-01', 'Größe', 'склад', '100%', 'a_b', 'x=y', '\\', '💾 disk']
    return {
      cloudId: `arn:aws:svc-${skewed(30)}:::${oneOf(words)}/${n.toString(36)}-${Math.floor(random() * 1e6)}`,
      service: `svc-${skewed(30)}`,
      type: `type-${skewed(60)}`,
      name: random() < 0.5 ? `${oneOf(words)} ${oneOf(words)}${skewed(900)}` : '',
      region: random() < 0.1 ? '' : `region-${skewed(12)}`,
      tags: Object.fromEntries([
        ...(random() < 0.7 ? [['env', oneOf(['prod', 'test', ''])]] : []),
        ...(random() < 0.3 ? [['team', `team-${skewed(40)}`]] : []),
        ...(random() < 0.01 ? [['a=b', 'c=d']] : []),
      ]),
      state: random() < 0.1 ? 'gone' : 'present',
    }
  }

  beforeAll(async () => {
    harness = await createHarness()
    const [own, other] = [await harness.organization(), await harness.organization()]
    organizationId = own.id
    const owner = await own.user('Owner')
    workspaceIds = [
      (await own.workspace({ by: owner })).id,
      (await own.workspace({ by: owner })).id,
    ]
    accounts = []
    for (const provider of ['aws', 'aws', 'gcp'] as const)
      accounts.push({
        provider,
        accountId: await connectedAccount(harness, organizationId, provider),
      })
    const foreign = await connectedAccount(harness, other.id)
    for (let n = 0; n < count; n += 500) {
      const rows = Array.from({ length: 500 }, (_, i) => row(n + i))
      const account = oneOf(accounts)
      await resourceRows(harness, { organizationId, ...account }, rows)
      // Another organization has the same, so that no filter excludes it.
      await resourceRows(harness, { organizationId: other.id, accountId: foreign }, rows)
      all.push(...rows.map((made) => ({ ...made, ...account, holder: holderOf() })))
    }
    // One resource that two accounts list.
    const [first] = all
    const twin = accounts.find(({ accountId }) => accountId !== first?.accountId)
    if (!first || !twin) throw new Error('no twin')
    const { accountId: _, provider: __, holder, ...same } = first
    await resourceRows(harness, { organizationId, ...twin }, [same])
    all.push({ ...same, ...twin, holder })
    await hold()
  }, 120_000)
  afterAll(async () => harness?.close())

  const holderOf = () => (random() < 0.2 ? (workspaceIds[skewed(1.2)] ?? null) : null)

  async function hold(): Promise<void> {
    const held = all.flatMap(({ cloudId, holder }) =>
      holder === null ? [] : [[cloudId, { cloudId, workspaceId: holder }] as const],
    )
    const rows = [...new Map(held).values()].map((resource) => ({
      ...resource,
      organizationId,
      address: 'aws_x.y',
      type: 'aws_x',
      provider: 'aws',
      attributes: '{}',
      heldFrom: '2026-01-01',
    }))
    const table = 'workspace_resources'
    for (let n = 0; n < rows.length; n += 1_000)
      await harness.deps.store.platform(table).insert(rows.slice(n, n + 1_000))
  }

  /** Every page, 1 to 200 at a time. */
  async function found(
    filters: ResourceFilters,
    between?: () => Promise<unknown>,
  ): Promise<ListedResource[]> {
    const limit = 1 + Math.floor(random() * 200)
    const resources: ListedResource[] = []
    for (;;) {
      const last = resources.at(-1)
      const page = await harness.deps.store.tenant(organizationId, async (tenant) =>
        cloudResources(tenant).list(filters, {
          limit,
          after: last && { hash: last.key, accountId: last.accountId },
        }),
      )
      resources.push(...page.resources)
      if (!page.hasMore) return resources
      await between?.()
    }
  }

  const keyOf = ({ cloudId, accountId }: { cloudId: string; accountId: number }) =>
    `${accountId} ${cloudId}`

  /** A filter of what some resource has, so that it finds something. */
  const filterOf = {
    provider: (of: Made) => ({ provider: [of.provider] }),
    accountId: (of: Made) => ({ accountId: [of.accountId] }),
    service: (of: Made) => ({ service: [of.service ?? '', `svc-${skewed(30)}`] }),
    type: (of: Made) => ({ type: [of.type ?? ''] }),
    region: (of: Made) => ({ region: [of.region ?? ''] }),
    tag: (of: Made) => ({ tag: [oneOf(Object.keys(of.tags ?? {}).concat('team'))] }),
    pair: (of: Made) => ({
      tag: [
        Object.entries(of.tags ?? {})
          .concat([['env', 'prod']])[0]
          ?.join('=') ?? '',
      ],
    }),
    q: (of: Made) => ({ q: [partOf(of), ...(random() < 0.3 ? [partOf(oneOf(all))] : [])] }),
    workspaceId: () => ({ workspaceId: random() < 0.7 ? [oneOf(workspaceIds)] : workspaceIds }),
    managed: () => ({ managed: random() < 0.5 }),
    state: () => ({ state: oneOf(['present', 'gone', 'all'] as const) }),
  }

  /** In another case, and across letters of several bytes. */
  function partOf({ name, cloudId }: Made): string {
    const text = Array.from(name && random() < 0.5 ? name : cloudId)
    const length = Math.min(text.length, 3 + skewed(15))
    const start = Math.floor(random() * (text.length - length + 1))
    const part = text.slice(start, start + length).join('')
    return random() < 0.5 ? part.toUpperCase() : part
  }

  function matches(filters: ResourceFilters, of: Made): boolean {
    const { state = 'present', managed, workspaceId, tag, q } = filters
    const has = (values: readonly unknown[] | undefined, value: unknown) =>
      values === undefined || values.includes(value)
    const pairs = Object.entries(of.tags ?? {}).flatMap(([key, value]) => [key, `${key}=${value}`])
    const texts = [of.name ?? '', of.cloudId].map((text) => text.toLowerCase())
    return (
      has(filters.provider, of.provider) &&
      has(filters.accountId, of.accountId) &&
      has(filters.service, of.service) &&
      has(filters.type, of.type) &&
      has(filters.region, of.region) &&
      (tag === undefined || tag.some((wanted) => pairs.includes(wanted))) &&
      (q ?? ['']).some((part) => texts.some((text) => text.includes(part.toLowerCase()))) &&
      (state === 'all' || state === of.state) &&
      (managed === undefined || managed === (of.holder !== null)) &&
      has(workspaceId, of.holder)
    )
  }

  function randomFilters(): ResourceFilters {
    const names = Object.keys(filterOf) as Array<keyof typeof filterOf>
    const chosen = Array.from({ length: 1 + skewed(4) }, () => oneOf(names))
    const of = oneOf(all)
    return Object.assign({}, ...chosen.map((name) => filterOf[name](of)))
  }

  test('finds what a comparison of each resource finds, once, and of no other organization', async () => {
    for (let n = 0; n < 60; n += 1) {
      const filters = randomFilters()
      const expected = all.filter((of) => matches(filters, of)).map(keyOf)
      const said = `seed ${seed}: ${JSON.stringify(filters)}`
      const keys = (await found(filters)).map(keyOf)
      expect(keys.toSorted(), said).toEqual(expected.toSorted())
    }
  }, 240_000)

  test('while resources are added, lists each that was there before once', async () => {
    for (const filters of [{}, { service: ['svc-29'] }, { q: ['web-01'] }, { managed: true }]) {
      const before = all.filter((of) => matches(filters, of)).map(keyOf)
      const keys = (
        await found(filters, async () => {
          const account = oneOf(accounts)
          const rows = [row(count + all.length), row(2 * count + all.length)]
          await resourceRows(harness, { organizationId, ...account }, rows)
          all.push(...rows.map((made) => ({ ...made, ...account, holder: null })))
        })
      ).map(keyOf)
      expect(new Set(keys).size, JSON.stringify(filters)).toBe(keys.length)
      expect(before.filter((key) => !keys.includes(key))).toEqual([])
    }
  }, 120_000)

  test('no key of the index is of two organizations', async () => {
    const shared = await harness.deps.store.tenant(organizationId, async (tenant) => {
      const { rows } = await unwrap(tenant).db.raw(`
        select count(*)::integer as count from (values (1), (2)) as o (id), lateral
          unnest(cloud_terms(o.id, 1, 'aws', 's3', 's3:bucket', 'r', 'present', '{"a": "b"}', 'n', 'arn:aws:s3:::n',
            md5('arn')::uuid)) as term
          group by term having count(distinct o.id) > 1`)
      return rows
    })
    expect(shared).toEqual([])
  })
})
