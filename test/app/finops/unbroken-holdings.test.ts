import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { swapSlice } from '../../../app/finops/swap-slice.ts'
import { workspaceResources } from '../../../store/clouds/workspace-resources.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { fillHoldings } from '../../../store/migrations/0142-note-unbroken-holdings.ts'
import { testBills } from '../../harness/bills.ts'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { holdResources } from '../../harness/hold-resources.ts'

const vm = 'arn:aws:ec2:eu-west-1:1:instance/i-1'

let harness: Harness
let database: ReturnType<typeof connectOwner>
beforeAll(async () => {
  harness = await createHarness()
  database = connectOwner(harness.config.databaseUrl)
})
afterAll(async () => {
  await database.destroy()
  await harness.close()
})

/** Two workspaces, and what each place says of whose the machine is. */
async function world() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const [a, b] = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
  const { store } = harness.deps
  const nameOf = (id: unknown) => (id === a.id ? 'a' : id === b.id ? 'b' : null)

  /** `address`: null, it does not hold it. */
  const state = async (workspace: { id: number }, day: string, address: string | null) =>
    holdResources(
      store,
      { organizationId: org.id, workspaceId: workspace.id },
      { day, resources: address === null ? [] : [{ cloudId: vm, address }] },
    )
  const ownerOn = async (day: string | null) =>
    store.tenant(org.id, async (tenant) => {
      const found = (await workspaceResources(tenant).ownersOf([vm], day)).get(vm)
      return [nameOf(found?.workspaceId), found?.address]
    })
  /** Whose it is now by the list, by its filter and by the warnings. */
  const now = async () => {
    const accountId = await connectedAccount(harness, org.id)
    await resourceRows(harness, { organizationId: org.id, accountId }, [{ cloudId: vm }])
    const [listed] = (await owner.get('/api/cloud/resources')).json().resources
    const found: boolean[] = []
    for (const { id } of [a, b]) {
      const { resources } = (await owner.get(`/api/cloud/resources?workspaceId=${id}`)).json()
      found.push(resources.length === 1)
    }
    const twice = await store.tenant(org.id, async (tenant) =>
      workspaceResources(tenant).heldTwice([a.id, b.id]),
    )
    return {
      list: nameOf(listed.workspace?.id),
      filter: [a, b].filter((_, n) => found[n]).map(({ id }) => nameOf(id)),
      warnings: [a, b]
        .filter(({ id }) => twice.get(id)?.first[0]?.isOwner)
        .map(({ id }) => nameOf(id)),
    }
  }
  /** Of each of these days of March, the workspace that a bill's charge of that day belongs to. */
  const billed = async (days: readonly number[]) => {
    const bills = testBills(store, org.id)
    const charges = days.map((day) => ({
      digest: randomUUID(),
      day: `2026-03-${String(day).padStart(2, '0')}`,
      resource_id: vm,
    }))
    const { id: sliceId } = await bills.reading(await bills.source(), charges)
    await swapSlice(store, { organizationId: org.id, sliceId })
    return (await bills.seen()).map(({ workspace_id: id }) => nameOf(id))
  }
  return { org, a, b, state, ownerOn, now, billed }
}

test('a resize and a move keep the beginning: the workspace that began later stays the owner', async () => {
  const { a, b, state, ownerOn, now, billed } = await world()
  await state(a, '2026-03-01', 'x.small')
  await state(b, '2026-03-05', 'y')
  await state(a, '2026-03-10', 'x.large')
  await state(a, '2026-03-12', 'module.m.x')
  expect(await ownerOn(null)).toEqual(['b', 'y'])
  expect(await ownerOn('2026-03-04')).toEqual(['a', 'x.small'])
  for (const day of ['2026-03-05', '2026-03-10', '2026-03-11', '2026-03-12', '2026-03-20'])
    expect([day, await ownerOn(day)]).toEqual([day, ['b', 'y']])
  expect(await now()).toEqual({ list: 'b', filter: ['b'], warnings: ['b'] })
  expect((await billed([1, 4, 5, 9, 10, 11, 12, 20])).join('')).toBe('aabbbbbb')
})

test('of two that began on one day the later state owns it, also after the other one resizes it that day', async () => {
  const { a, b, state, ownerOn, now, billed } = await world()
  await state(a, '2026-03-05', 'x.small')
  await state(b, '2026-03-05', 'y')
  await state(a, '2026-03-05', 'x.large')
  await state(a, '2026-03-07', 'x.huge')
  for (const day of [null, '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07'])
    expect([day, await ownerOn(day)]).toEqual([day, ['b', 'y']])
  expect(await now()).toEqual({ list: 'b', filter: ['b'], warnings: ['b'] })
  expect((await billed([4, 5, 6, 7])).join('')).toBe('bbbb')
})

test('a workspace alone: each day has the newest address that it had then', async () => {
  const { a, state, ownerOn } = await world()
  await state(a, '2026-03-02', 'x.small')
  await state(a, '2026-03-02', 'x.large')
  await state(a, '2026-03-04', 'x.huge')
  const expected = { '2026-03-02': 'x.large', '2026-03-03': 'x.large', '2026-03-04': 'x.huge' }
  for (const [day, address] of Object.entries(expected))
    expect([day, await ownerOn(day)]).toEqual([day, ['a', address]])
  expect(await ownerOn('2026-03-01')).toEqual(['a', 'x.large'])
})

test('what was absent from one version begins anew', async () => {
  const { a, b, state, ownerOn, now, billed } = await world()
  await state(a, '2026-03-01', 'x')
  await state(b, '2026-03-05', 'y')
  await state(a, '2026-03-10', null)
  await state(a, '2026-03-10', 'x')
  expect(await ownerOn('2026-03-09')).toEqual(['b', 'y'])
  expect(await ownerOn(null)).toEqual(['a', 'x'])
  expect(await now()).toEqual({ list: 'a', filter: ['a'], warnings: ['a'] })
  expect((await billed([4, 9, 10, 11])).join('')).toBe('abaa')
})

test('rows from before the upgrade: one that began on the last day of the one before continues it', async () => {
  const { org, a, b, state, ownerOn, billed } = await world()
  await state(a, '2026-03-01', 'x.small')
  await state(b, '2026-03-05', 'y')
  await state(a, '2026-03-10', 'x.large')
  await state(a, '2026-03-12', 'x.huge')
  await state(a, '2026-03-14', null)
  await state(a, '2026-03-16', 'x.small')
  const rows = harness.deps.store.platform('workspace_resources').where({ organizationId: org.id })
  const begins = async () =>
    (await rows.clone().orderBy('id').select()).map(({ id, holdingFrom, holdingId }) => [
      id,
      holdingFrom,
      holdingId,
    ])
  const noted = await begins()
  expect(noted.filter(([, from]) => from !== null)).toHaveLength(2)
  await rows.clone().update({ holdingFrom: null, holdingId: null })
  expect(await ownerOn('2026-03-10')).toEqual(['a', 'x.large'])

  expect(await billed([4, 10])).toEqual(['a', 'a'])
  const rebuilds = async () =>
    testBills(harness.deps.store, org.id).ask(
      `select workspace_id, since::text from cost_rebuilds where organization_id = :organizationId`,
    )
  expect(await rebuilds()).toEqual([])
  await fillHoldings(database)
  expect(await begins()).toEqual(noted)
  expect(await rebuilds()).toEqual([{ workspace_id: a.id, since: '2026-03-01' }])
  expect(await ownerOn('2026-03-10')).toEqual(['b', 'y'])
  expect(await ownerOn('2026-03-16')).toEqual(['a', 'x.small'])
})
