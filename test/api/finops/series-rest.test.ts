import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CostBody, SeriesBody } from '../../../api/finops/cost/schemas.ts'
import { charge, raiseVersion, storeCharges, type TestCharge } from '../../harness/cost-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

// Only the dearest groups of a series are read by day, and the rest of a day is its whole less those.

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const march = 'from=2026-03-01&to=2026-03-03'

async function readerOf(charges: Array<Partial<TestCharge>>) {
  const org = await harness.organization()
  await storeCharges(harness.deps.store.platform, org.id, charges.map(charge))
  const viewer = await org.user('Viewer')
  const read = async <T>(path: string): Promise<T> => {
    const { statusCode, body } = await viewer.get(`/api/finops/cost${path}`)
    expect(statusCode, body).toBe(200)
    return JSON.parse(body) as T
  }
  return { org, read }
}

/** Amounts of the first, second and third of March. */
const daysOf = (of: Partial<TestCharge>, ...amounts: string[]) =>
  amounts.map((effective, n) => ({ ...of, day: `2026-03-0${n + 1}`, effective }))

const brief = ({ total, groups, rest }: SeriesBody) => ({
  total,
  groups: groups.map(({ key, total: ofGroup, amounts }) => [key, ofGroup, amounts]),
  rest,
})

const services = [
  ...daysOf({ service: 'dear' }, '7.000000000001', '1', '2'),
  ...daysOf({ service: 'cheap' }, '1', '0.5', '0'),
  ...daysOf({ service: 'balanced' }, '5', '-5', '0'),
  ...daysOf({ service: 'free' }, '0', '0', '0'),
  ...daysOf({ service: 'credit' }, '0', '-3.25', '0'),
]
const allButDear = [6, -7.75, 0]

test.each([
  ['day', ''],
  ['day', '&chargeCategory=Usage'],
  ['day', '&chargeCategory=Usage&provider=aws&region='],
])(
  '200: a group of 0 in all counts if it is not 0 each %s, before credits%s',
  async (granularity, filters) => {
    const { read } = await readerOf(services)
    const series = async (top: number) =>
      brief(
        await read(
          `/series?${march}&groupBy=service&granularity=${granularity}&top=${top}${filters}`,
        ),
      )
    const total = 8.250000000001
    expect(await series(1)).toEqual({
      total,
      groups: [['dear', 10.000000000001, [7.000000000001, 1, 2]]],
      rest: { groups: 3, total: -1.75, amounts: allButDear },
    })
    expect((await series(3)).groups.map(([key]) => key)).toEqual(['dear', 'cheap', 'balanced'])
    expect((await series(3)).rest).toEqual({ groups: 1, total: -3.25, amounts: [0, -3.25, 0] })
    const { groups, rest } = await series(4)
    expect(groups.slice(2)).toEqual([
      ['balanced', 0, [5, -5, 0]],
      ['credit', -3.25, [0, -3.25, 0]],
    ])
    expect(rest).toEqual({ groups: 0, total: 0, amounts: [0, 0, 0] })
  },
)

test('200: by month a group that is 0 in it is left out', async () => {
  const { read } = await readerOf(services)
  const query = `${march}&groupBy=service&granularity=month&top=1`
  const { groups, rest } = brief(await read(`/series?${query.replace('03-03', '03-31')}`))
  expect(groups).toEqual([['dear', 10.000000000001, [10.000000000001]]])
  expect(rest).toEqual({ groups: 2, total: -1.75, amounts: [-1.75] })
})

test('200: no region and a region without a name are two groups, beside money without a rate', async () => {
  const { read } = await readerOf([
    ...daysOf({ region: null }, '4', '1'),
    ...daysOf({ region: '' }, '2', '1'),
    ...daysOf({ region: 'eu' }, '1', '1'),
    ...daysOf({ region: 'us', currency: 'EUR' }, '100', '1'),
  ])
  for (const filters of ['', '&service=Compute']) {
    const series: SeriesBody = await read(`/series?${march}&groupBy=region&top=2${filters}`)
    expect(brief(series)).toEqual({
      total: 10,
      groups: [
        [null, 5, [4, 1, 0]],
        ['', 3, [2, 1, 0]],
      ],
      rest: { groups: 1, total: 2, amounts: [1, 1, 0] },
    })
    expect(series.unconverted).toEqual([{ currency: 'EUR', amount: 101 }])
  }
})

type Payload = Exclude<CostBody, { empty: true }>

test('200: by owner, what a deleted workspace owned is unmanaged on each day', async () => {
  const { org, read } = await readerOf([])
  const [kept, gone] = [(await org.workspace()).id, (await org.workspace()).id]
  const db = harness.deps.store.platform
  await storeCharges(
    db,
    org.id,
    [
      ...daysOf({ owner: 'workspace', workspaceId: kept, service: 'kept' }, '1', '2'),
      ...daysOf({ owner: 'workspace', workspaceId: gone, service: 'gone' }, '10', '20'),
      ...daysOf({ owner: 'unmanaged', service: 'free' }, '100', '200'),
      ...daysOf({ owner: 'none', service: 'tax' }, '1000', '2000'),
    ].map(charge),
  )
  const deleted = await (await org.user('Org Admin')).delete(`/api/workspaces/${gone}`)
  expect(deleted.statusCode, deleted.body).toBe(200)
  await raiseVersion(db, org.id)
  const daily = async (filter: string) => {
    const { total, daily: days } = await read<Payload>(`?${march}&${filter}`)
    expect(days.reduce((sum, { amount }) => sum + amount, 0)).toBe(total)
    return days.slice(0, 2).map(({ amount }) => amount)
  }
  expect(await daily('owner=unmanaged')).toEqual([110, 220])
  expect(await daily('owner=workspace')).toEqual([1, 2])
  expect(await daily('owner=workspace&owner=unattributed')).toEqual([1001, 2002])
  expect(await daily(`owner=workspace&workspaceId=${kept}`)).toEqual([1, 2])
  expect(await daily(`owner=unmanaged&workspaceId=${kept}`)).toEqual([0, 0])
  const byOwner = `/series?${march}&groupBy=workspace&owner=unmanaged&top=1`
  expect(brief(await read(byOwner)).groups).toEqual([['unmanaged', 330, [110, 220, 0]]])
  const byService = `/series?${march}&groupBy=service&owner=unmanaged&top=1`
  expect(brief(await read(byService))).toEqual({
    total: 330,
    groups: [['free', 300, [100, 200, 0]]],
    rest: { groups: 1, total: 30, amounts: [10, 20, 0] },
  })
})
