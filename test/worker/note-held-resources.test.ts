import { afterAll, beforeAll, expect, test } from 'vitest'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import { noteHeldResourcesTask } from '../../worker/tasks/note-held-resources.ts'
import { lockedState } from '../api/workspaces/locked-state.ts'
import { bucket, withBuckets } from '../api/workspaces/with-buckets.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A workspace whose state is as one from before its resources were noted. */
const before = async () => {
  const locked = await lockedState(harness)
  const { org, client, info, workspace } = locked
  const { platform } = harness.deps.store
  const write = async (serial: number, names: readonly string[]) =>
    expect((await client.write(withBuckets(serial, names), info.ID)).statusCode).toBe(200)
  const rows = async () =>
    platform('workspace_resources').where({ workspaceId: workspace.id }).orderBy('id').select()
  const forget = async () => {
    const { id: organizationId } = org
    await platform('workspace_resources').where({ organizationId }).delete()
    await platform('state_versions')
      .where({ organizationId })
      .update({ heldSha256: null, createdAt: '2026-01-05T12:00:00Z' })
    await platform('workspaces').where({ organizationId }).update({ resourcesDue: true })
  }
  const due = async () => platform('workspaces').where({ resourcesDue: true }).pluck('id')
  await write(1, ['one', 'two'])
  await forget()
  return { ...locked, write, rows, forget, due }
}

const held = (rows: Array<{ cloudId: string; heldTo: unknown }>) =>
  rows
    .filter(({ heldTo }) => heldTo === null)
    .map(({ cloudId }) => cloudId)
    .toSorted()

test('the worker notes a state from before as held since its day, once', async () => {
  const { org, rows, due } = await before()
  const task = noteHeldResourcesTask(harness.deps)
  expect(await task.run()).toBe('done')
  const noted = await rows()
  expect(held(noted)).toEqual([bucket('one'), bucket('two')])
  const owners = await harness.deps.store.tenant(org.id, async (tenant) =>
    workspaceResources(tenant).ownersOf([bucket('one')], '2026-01-05'),
  )
  expect(owners.size).toBe(1)
  expect(await due()).toEqual([])
  expect(await task.run()).toBe('done')
  expect(await rows()).toEqual(noted)
})

test('the sizes are confirmed if an apply wrote the state, and not if a person did', async () => {
  const [pushed, applied] = [await before(), await before()]
  const { platform } = harness.deps.store
  await platform('state_versions')
    .where({ organizationId: applied.org.id })
    .update({ workspaceRunId: 1 })
  await noteHeldResourcesTask(harness.deps).run()
  const confirmed = async ({ rows }: typeof pushed) =>
    (await rows()).map(({ confirmedFrom }) => confirmedFrom)
  expect(await confirmed(pushed)).toEqual([null, null])
  expect(await confirmed(applied)).toEqual(['2026-01-05', '2026-01-05'])
})

test('a state that was stored meanwhile has noted its own resources', async () => {
  const { write, rows, due } = await before()
  await write(2, ['three'])
  await noteHeldResourcesTask(harness.deps).run()
  expect(held(await rows())).toEqual([bucket('three')])
  expect(await due()).toEqual([])
})

test('one that cannot be read keeps no other from being noted', async () => {
  const [bad, good] = [await before(), await before()]
  const { store, ...deps } = harness.deps
  const task = noteHeldResourcesTask({
    ...deps,
    store: {
      ...store,
      async tenant(organizationId, work) {
        if (organizationId === bad.org.id) throw new Error('unreadable')
        return store.tenant(organizationId, work)
      },
    },
  })
  await expect(task.run()).rejects.toThrow('1 rows could not be handled')
  expect(held(await good.rows())).toEqual([bucket('one'), bucket('two')])
  expect(await good.due()).toEqual([bad.workspace.id])
})
