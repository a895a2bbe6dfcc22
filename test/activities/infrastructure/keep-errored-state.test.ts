import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepErroredState } from '../../../activities/infrastructure/keep-errored-state.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import { unavailable } from '../../../domain/errors.ts'
import type { Store } from '../../../store/driver/connect.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const frameBytes = 256 * 1024
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A run whose apply left a state of `frames` frames and one byte. */
async function erroredRun(frames: number) {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const { id } = await startRun(owner, workspace)
  const found = await findRun(harness.deps, id)
  const state = randomBytes(frames * frameBytes + 1)
  const { platform } = harness.deps.store
  return {
    state,
    asked: { serial: 7, lineage: 'one', sha256: sha256(state) },
    keeper: (store: Pick<Store, 'tenant'> = harness.deps.store) =>
      keepErroredState(
        { ...harness.deps, store: { ...harness.deps.store, ...store } },
        found,
        5_000,
      ),
    stored: async () => {
      const [row] = await platform('state_pieces as p')
        .join('state_versions as v', 'v.id', 'p.state_version_id')
        .where('v.workspaceRunId', id)
        .count('* as pieces')
      return Number(row?.['pieces'])
    },
    versions: async () => (await owner.get(`${workspace.url}/state/versions`)).json().versions,
    read: async (versionId: number) =>
      (await owner.get(`${workspace.url}/state/quarantined/${versionId}`)).rawPayload,
  }
}

function* framesOf(state: Buffer): Generator<Buffer> {
  for (let at = 0; at < state.length; at += frameBytes) yield state.subarray(at, at + frameBytes)
}

test('a state is stored while it arrives, with at most a megabyte in memory', async () => {
  const { keeper, asked, state, stored, versions, read } = await erroredRun(30)
  const { keepState, add, stateSent, isKept, isSaving } = keeper()
  expect(await keepState(asked)).toEqual({ known: false })
  let sent = 0
  for (const frame of framesOf(state)) {
    await add('errored_state', frame)
    sent += 1
    expect(sent - (await stored())).toBeLessThanOrEqual(4)
  }
  expect([isKept(), isSaving()]).toEqual([false, true])
  await stateSent({})
  expect([isKept(), isSaving()]).toEqual([true, false])
  const [version] = await versions()
  expect(version).toMatchObject({
    status: 'quarantined',
    reason: 'state_save_failed',
    serial: 7,
    lineage: 'one',
    sha256: asked.sha256,
  })
  expect((await read(version.id)).equals(state)).toBe(true)
  // A repeated call finds the stored state, also one that the state endpoint stored.
  expect(await keeper().keepState(asked)).toEqual({ known: true })
  expect(await versions()).toHaveLength(1)
})

test('a commit whose answer is lost is repeated: the rows are the same', async () => {
  const { keeper, asked, state, stored, versions, read } = await erroredRun(6)
  let calls = 0
  const { keepState, add, stateSent } = keeper({
    async tenant(organizationId, work) {
      const result = await harness.deps.store.tenant(organizationId, work)
      calls += 1
      if (calls % 2 === 1) throw unavailable('database_unavailable', 'The answer was lost')
      return result
    },
  })
  expect(await keepState(asked)).toEqual({ known: false })
  for (const frame of framesOf(state)) await add('errored_state', frame)
  await stateSent({})
  expect(await stored()).toBe(7)
  const kept = await versions()
  expect(kept).toHaveLength(1)
  expect((await read(kept[0].id)).equals(state)).toBe(true)
})

test('the worker is killed before the end: the part that had arrived is kept and readable', async () => {
  const { keeper, asked, state, versions, read } = await erroredRun(6)
  const { keepState, add } = keeper()
  await keepState(asked)
  for (const frame of [...framesOf(state)].slice(0, 5)) await add('errored_state', frame)
  const [version] = await versions()
  expect((await read(version.id)).equals(state.subarray(0, 4 * frameBytes))).toBe(true)
})

test('a runner that sends a frame that an apply does not have is refused', async () => {
  const { keeper, asked } = await erroredRun(0)
  await expect(keeper().add('errored_state', Buffer.alloc(1))).rejects.toThrow('does not have')
  await expect(keeper().stateSent({})).rejects.toThrow('does not have')
  for (const odd of [{ serial: -1 }, { serial: 1.5 }, { sha256: 'x' }])
    await expect(keeper().keepState({ ...asked, ...odd })).rejects.toThrow('does not have')
  const begun = keeper()
  await begun.keepState({ ...asked, lineage: 'a\0b' })
  await expect(begun.keepState(asked)).rejects.toThrow('does not have')
  await expect(begun.add('plan_file', Buffer.alloc(1))).rejects.toThrow('does not have')
  const piece = Buffer.alloc(16 * 1024 ** 2)
  for (let at = 0; at < 8; at += 1) await begun.add('errored_state', piece)
  await expect(begun.add('errored_state', Buffer.alloc(1))).rejects.toThrow('does not have')
})

test('a runner that sends a state in thousands of small pieces is refused', async () => {
  const { keeper, asked, stored } = await erroredRun(1)
  const { keepState, add } = keeper()
  await keepState(asked)
  const send = async () => {
    for (let at = 0; at < 2_000; at += 1) await add('errored_state', Buffer.alloc(at % 2))
  }
  await expect(send()).rejects.toThrow('does not have')
  expect(await stored()).toBe(0)
})
