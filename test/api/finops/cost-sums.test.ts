import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CostBody, SeriesBody } from '../../../api/finops/cost/schemas.ts'
import { formatDecimal, parseDecimal } from '../../../domain/finops/decimal.ts'
import { charge, storeCharges, type TestCharge } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let viewer: TestUser
let charges: TestCharge[]
let workspaces: number[]
beforeAll(async () => {
  harness = await createHarness()
  const org = await harness.organization()
  viewer = await org.user('Viewer')
  workspaces = [(await org.workspace()).id, (await org.workspace()).id]
  charges = Array.from({ length: 1_500 }, randomCharge)
  await storeCharges(harness.deps.store.platform, org.id, charges)
})
afterAll(async () => harness.close())

const pick = <T>(of: readonly T[]): T => of[randomInt(of.length)] as T
const amount = () => formatDecimal(BigInt(randomInt(2 ** 47)) * 1_000n - 40_000_000_000_000n)

function randomCharge(): TestCharge {
  const owner = pick(['workspace', 'unmanaged', 'none'] as const)
  const month = pick(['2026-01', '2026-02', '2026-03'])
  return charge({
    source: pick(['one', 'two', 'three']),
    // A bill can have charges of the month before.
    period: `${pick([month, '2026-03'])}-01`,
    day: `${month}-${String(1 + randomInt(28)).padStart(2, '0')}`,
    provider: pick(['aws', 'azure']),
    service: pick(['Compute', 'Storage', 'Network', 'Support']),
    subAccount: pick(['111', '222', null]),
    region: pick(['eu', 'us', null]),
    category: pick(['Usage', 'Tax', 'Credit']),
    owner,
    workspaceId: owner === 'workspace' ? pick(workspaces) : null,
    billed: amount(),
    effective: amount(),
    list: amount(),
    tags: {
      ...(randomInt(2) && { team: pick(['a', 'b', '']) }),
      ...(randomInt(2) && { env: 'prod' }),
    },
  })
}

const bases = ['effective', 'billed', 'list'] as const
const filters: Array<[string, (of: TestCharge) => boolean]> = [
  ['', () => true],
  ['provider=aws', ({ provider }) => provider === 'aws'],
  ['provider=amazon%20WEB%20services', ({ provider }) => provider === 'aws'],
  ['provider=nobody', () => false],
  [
    'service=Compute&service=Storage',
    ({ service }) => service === 'Compute' || service === 'Storage',
  ],
  ['source=one', ({ source }) => source === 'one'],
  ['subAccountId=111', ({ subAccount }) => subAccount === '111'],
  ['region=', ({ region }) => region === null],
  ['region=eu&region=', ({ region }) => region !== 'us'],
  ['chargeCategory=Usage', ({ category }) => category === 'Usage'],
  ['tagKey=team&tagValue=a', ({ tags }) => tags['team'] === 'a'],
  ['tagKey=team&tagValue=a&tagValue=', ({ tags }) => tags['team'] === 'a' || tags['team'] === ''],
  ['tagKey=team&untagged=true', ({ tags }) => tags['team'] === undefined],
  ['tagKey=team&untagged=true&tagValue=a', () => false],
  ['tagKey=nothing&untagged=true', () => true],
  ['owner=unmanaged', ({ owner }) => owner === 'unmanaged'],
  ['owner=unattributed&owner=workspace', ({ owner }) => owner !== 'unmanaged'],
  [
    'owner=unmanaged&service=Compute&tagKey=team&untagged=true',
    ({ owner, service, tags }) =>
      owner === 'unmanaged' && service === 'Compute' && tags['team'] === undefined,
  ],
  [
    'service=Compute&region=eu&provider=azure&tagKey=env&tagValue=prod',
    (of) =>
      of.service === 'Compute' &&
      of.region === 'eu' &&
      of.provider === 'azure' &&
      of.tags['env'] === 'prod',
  ],
]
const windows = [
  ['2026-01-01', '2026-03-31'],
  ['2026-02-10', '2026-03-09'],
  ['2026-02-01', '2026-02-28'],
] as const

const chosen = (index: number): (typeof filters)[number] =>
  [
    ...filters,
    [`workspaceId=${workspaces[0]}`, (of: TestCharge) => of.workspaceId === workspaces[0]] as const,
  ].at(index) as (typeof filters)[number]

const sumOf = (rows: readonly TestCharge[], basis: (typeof bases)[number]): number =>
  Number(formatDecimal(rows.reduce((sum, of) => sum + parseDecimal(of[basis]), 0n)))

/** By key, dearest first, of exact sums. */
function sumsBy(
  rows: readonly TestCharge[],
  basis: (typeof bases)[number],
  key: (of: TestCharge) => string,
) {
  const sums = [...Map.groupBy(rows, key)].map(([name, of]) => [name, sumOf(of, basis)] as const)
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0))
}

type Payload = Exclude<CostBody, { empty: true }>

const entriesOf = <T extends { amount: number }>(list: T[], key: (of: T) => string) =>
  Object.fromEntries(list.filter(({ amount: sum }) => sum !== 0).map((of) => [key(of), of.amount]))

const exactly = (amounts: readonly number[]): bigint =>
  amounts.reduce((sum, one) => sum + BigInt(Math.round(one * 1e6)), 0n)

test.each(Array.from({ length: filters.length + 1 }, (_, n) => n))(
  'every figure equals the exact sum of the charges: filter %i',
  async (index) => {
    const [filter, lets] = chosen(index)
    for (const basis of bases)
      for (const [from, to] of windows) {
        const query = `from=${from}&to=${to}&basis=${basis}${filter && `&${filter}`}`
        const rows = charges.filter((of) => of.day >= from && of.day <= to && lets(of))
        const found: Payload = (await viewer.get(`/api/finops/cost?${query}`)).json()
        const entries = entriesOf
        expect(found.total, query).toBe(sumOf(rows, basis))
        expect(entries(found.spendByCloud, (of) => of.provider)).toEqual(
          sumsBy(rows, basis, (of) => of.provider),
        )
        expect(entries(found.spendByService, (of) => `${of.provider} ${of.service}`)).toEqual(
          sumsBy(rows, basis, (of) => `${of.provider} ${of.service}`),
        )
        expect(entries(found.daily, (of) => of.day)).toEqual(sumsBy(rows, basis, (of) => of.day))
        expect(entries(found.byTag, (of) => of.tag)).toEqual(
          sumsBy(rows, basis, ({ tags }) => {
            const value = tags[found.tagKey ?? '']
            return value === undefined ? 'untagged' : `${found.tagKey}=${value}`
          }),
        )
        const { byOwner } = found
        const all: Array<[string, number]> = [
          ...byOwner.workspaces.map(
            (of) => [String(of.workspaceId), of.amount] as [string, number],
          ),
          ['unmanaged', byOwner.unmanaged],
          ['none', byOwner.unattributed],
        ]
        const owners = all.filter(([, sum]) => sum !== 0)
        expect(Object.fromEntries(owners)).toEqual(
          sumsBy(rows, basis, (of) => String(of.workspaceId ?? of.owner)),
        )
        const total = exactly([found.total])
        for (const parts of [
          found.spendByCloud.map((of) => of.amount),
          found.daily.map((of) => of.amount),
          owners.map(([, sum]) => sum),
        ])
          expect(Math.abs(Number(exactly(parts) - total)), 'to the cent').toBeLessThan(10_000)
      }
  },
  60_000,
)

const groups: Record<string, (of: TestCharge) => string | null> = {
  provider: (of) => of.provider,
  service: (of) => of.service,
  account: (of) => String(of.source),
  subAccount: (of) => of.subAccount,
  region: (of) => of.region,
  workspace: (of) => (of.owner === 'none' ? 'unattributed' : String(of.workspaceId ?? of.owner)),
  chargeCategory: (of) => of.category,
  tag: (of) => of.tags['team'] ?? null,
}

test.each(Object.keys(groups))(
  'a series by %s adds up to the same sums',
  async (groupBy) => {
    const [from, to] = windows[1]
    const rows = charges.filter((of) => of.day >= from && of.day <= to && of.region !== 'us')
    const keyOf = groups[groupBy] as (of: TestCharge) => string | null
    for (const granularity of ['day', 'month'])
      for (const top of [1, 50]) {
        const query = `from=${from}&to=${to}&region=eu&region=&tagKey=team&groupBy=${groupBy}&granularity=${granularity}&top=${top}`
        const found: SeriesBody = (await viewer.get(`/api/finops/cost/series?${query}`)).json()
        expect(found.total, query).toBe(sumOf(rows, 'effective'))
        const exact = [...Map.groupBy(rows, keyOf)]
          .map(([key, of]) => ({ key, of, total: sumOf(of, 'effective') }))
          .toSorted((a, b) => b.total - a.total)
        expect(found.groups.map(({ key, total }) => ({ key, total }))).toEqual(
          exact.slice(0, top).map(({ key, total }) => ({ key, total })),
        )
        const points: string[] = found.points
        const at = (of: readonly TestCharge[]) =>
          points.map((point) =>
            sumOf(
              of.filter(({ day }) => day.startsWith(point)),
              'effective',
            ),
          )
        for (const [n, { of }] of exact.slice(0, top).entries())
          expect(found.groups[n]?.amounts).toEqual(at(of))
        const rest = exact.slice(top).flatMap(({ of }) => of)
        expect(found.rest).toEqual({
          groups: Math.max(0, exact.length - top),
          total: sumOf(rest, 'effective'),
          amounts: at(rest),
        })
      }
  },
  60_000,
)
