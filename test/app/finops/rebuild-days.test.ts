import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rebuildDays } from '../../../app/finops/rebuild-days.ts'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { testBills } from '../../harness/bills.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'

const [vm, disk] = ['arn:aws:ec2:eu-west-1:1:instance/i-1', 'arn:aws:ec2:eu-west-1:1:volume/vol-1']

describe('whose the cost of a resource is', () => {
  let harness: Harness
  let made: Awaited<ReturnType<typeof ownedWorkspace>>
  let bills: ReturnType<typeof testBills>
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())
  beforeEach(async () => {
    made = await ownedWorkspace(harness)
    bills = testBills(harness.deps.store, made.org.id)
  })

  const charge = (day: number, resource_id: string | null) => ({
    digest: randomUUID(),
    day: `2026-03-0${day}`,
    resource_id,
  })
  const load = async (sourceId: number, charges: Array<ReturnType<typeof charge>>) => {
    const { id } = await bills.reading(sourceId, charges)
    await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: id })
    return id
  }
  const holds = async (workspaceId: number, day: number, resources: string[]) =>
    holdResources(
      harness.deps.store,
      { organizationId: made.org.id, workspaceId },
      { day: `2026-03-0${day}`, resources },
    )
  const rebuild = async (workspaceId: number) =>
    rebuildDays(harness.deps.store, { organizationId: made.org.id, workspaceId })
  const owners = async () =>
    (await bills.seen()).map(({ day, owner, workspace_id: id, effective }) =>
      [
        String(day).slice(-1),
        ...[owner, id, effective].filter((part) => part !== null).map(String),
      ].join(' '),
    )
  const notes = async () =>
    bills.ask('select since::text from cost_rebuilds where organization_id = :organizationId')

  test('by day: before its first owner that one’s, after its last one nobody’s', async () => {
    const [first, second] = [made.workspace.id, (await made.org.workspace({ by: made.owner })).id]
    await holds(first, 2, [vm])
    await holds(first, 3, [])
    await holds(second, 5, [vm])
    await holds(first, 6, [vm])
    await holds(second, 7, [])
    await load(
      await bills.source(),
      [1, 2, 3, 4, 5, 6, 7, 8].flatMap((day) => [charge(day, vm), charge(day, null)]),
    )
    expect((await owners()).filter((row) => !row.includes('none'))).toEqual([
      `1 workspace ${first} 1`,
      `2 workspace ${first} 1`,
      `3 workspace ${first} 1`,
      '4 unmanaged 1',
      `5 workspace ${second} 1`,
      `6 workspace ${first} 1`,
      `7 workspace ${first} 1`,
      `8 workspace ${first} 1`,
    ])
    expect((await owners()).filter((row) => row.includes('none'))).toHaveLength(8)
  })

  test('a state that changes moves the cost of the days that it touches, and of no other', async () => {
    const { id: workspaceId } = made.workspace
    const sourceId = await bills.source()
    await holds(workspaceId, 1, [disk])
    // There was no bill yet.
    expect(await notes()).toEqual([])
    await load(
      sourceId,
      [1, 2, 3, 4].flatMap((day) => [charge(day, vm), charge(day, disk)]),
    )
    const before = await bills.version()
    const rows = async () =>
      bills.ask(`select day::text, xmin::text from cost_daily where organization_id = :organizationId
        order by 1, 2`)
    const unchanged = (await rows()).filter(({ day }) => String(day) < '2026-03-03')

    await holds(workspaceId, 3, [vm])
    expect(await notes()).toEqual([{ since: '2026-03-03' }])
    // Nobody held the machine before: its whole cost moves. The disk's last day counts.
    await rebuild(workspaceId)
    expect(await notes()).toEqual([])
    expect(await bills.version()).toBe(before + 1)
    expect(await owners()).toEqual([
      `1 workspace ${workspaceId} 2`,
      `2 workspace ${workspaceId} 2`,
      `3 workspace ${workspaceId} 2`,
      '4 unmanaged 1',
      `4 workspace ${workspaceId} 1`,
    ])
    expect(unchanged).toHaveLength(4)

    // Held before: days before the change keep their rows.
    const early = (await rows()).filter(({ day }) => String(day) < '2026-03-04')
    await holds(workspaceId, 4, [])
    await rebuild(workspaceId)
    expect((await rows()).filter(({ day }) => String(day) < '2026-03-04')).toEqual(early)
    await holds(workspaceId, 4, [])
    expect(await notes()).toEqual([])
  })

  test('it waits for a slice that is being read, and a suspect one is brought up to date too', async () => {
    const { id: workspaceId } = made.workspace
    const sourceId = await bills.source()
    await load(
      sourceId,
      [1, 2, 3].map((day) => charge(day, vm)),
    )
    const suspect = await load(sourceId, [charge(1, vm)])
    const reading = await bills.reading(await bills.source(), [charge(1, vm)])
    await bills.ask(
      `update billing_ingests set state = 'running', ended_at = null
       where organization_id = :organizationId and id = :ingestId`,
      reading,
    )
    await holds(workspaceId, 1, [vm])
    await rebuild(workspaceId)
    expect(await notes()).toHaveLength(1)
    await swapSlice(harness.deps.store, { organizationId: made.org.id, sliceId: reading.id })
    await rebuild(workspaceId)
    expect(await notes()).toEqual([])
    expect(
      await bills.ask(
        `select owner from cost_daily where organization_id = :organizationId and slice_id = :suspect`,
        { suspect },
      ),
    ).toEqual([{ owner: 'workspace' }])
  })
})
