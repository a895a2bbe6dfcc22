import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadRun } from '../../../activities/infrastructure/load-run.ts'
import { findRun } from '../../../activities/runs/find-run.ts'
import type { Deps } from '../../../activities/deps.ts'
import { placeOfValue, secretsOfWorkspace } from '../../../app/workspaces/secrets-of-workspace.ts'
import { whyNotMasked } from '../../../domain/runs/why-not-masked.ts'
import { maxRetiredBytes, maxRetiredValues } from '../../../store/workspaces/retired-values.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import { lockInfo, stateClient, stateOf } from '../../api/workspaces/state-client.ts'

describe('values that sensitive variables had', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token('Deployer'))
    const add = async (key: string, value: string, more: object = {}) => {
      const body = { key, value, sensitive: true, ...more }
      const answer = await owner.post(`${workspace.url}/variables`, body)
      expect(answer.statusCode).toBe(201)
      return `${workspace.url}/variables/${answer.json().variable.id}`
    }
    const change = async (place: string, body: object) =>
      expect((await owner.patch(place, body)).statusCode).toBe(200)
    const store = async (serial: number) => {
      const info = lockInfo()
      await client.lock(info)
      expect((await client.write(stateOf(serial), info.ID)).statusCode).toBe(200)
      await client.unlock(info)
    }
    const { id: workspaceId } = workspace
    const known = async () =>
      harness.deps.store.tenant(org.id, async (tenant) => {
        const place = { organizationId: org.id, workspaceId }
        return (await secretsOfWorkspace(harness.deps, tenant, place)).secrets
      })
    return { org, owner, workspace, add, change, store, known }
  }

  test('the log of the next run is masked of what the state still has', async () => {
    const { owner, workspace, add, change } = await made()
    const json = JSON.stringify({ password: 'part-before-the-change' })
    const place = await add('db', json)
    await change(place, { value: 'after-the-change' })
    const { id } = await startRun(owner, workspace)
    const { store, keyring } = harness.deps
    const deps = { store, keyring } as unknown as Deps
    const loaded = await loadRun(deps, await findRun(deps, id), 'plan')
    expect(loaded.secrets.map(({ value }) => value)).toEqual([
      'after-the-change',
      json,
      'part-before-the-change',
    ])
    expect(Object.values(loaded.env)).not.toContain(json)
  })

  test('400: an object of more texts than are masked; one from before fails its run', async () => {
    const { org, owner, workspace, add, change } = await made()
    const value = JSON.stringify(Array.from({ length: 2_000 }, (_, at) => `password-${at}`))
    const body = { key: 'db', value, sensitive: true }
    expect((await owner.post(`${workspace.url}/variables`, body)).json()).toMatchObject({
      code: 'variable_not_maskable',
      error: expect.stringContaining('more than 1000 texts'),
    })
    const { store, keyring } = harness.deps
    const place = await add('db', 'short-enough')
    await store
      .platform('workspace_variables')
      .where({ workspaceId: workspace.id })
      .update({ value: keyring.seal(placeOfValue(org.id), value) })
    const { id } = await startRun(owner, workspace)
    const deps = { store, keyring } as unknown as Deps
    const load = async () => (await loadRun(deps, await findRun(deps, id), 'plan')).secrets
    expect(whyNotMasked(await load())).toContain('"db" has more than 1000 texts')
    await change(place, { value: 'after-the-change' })
    expect(whyNotMasked(await load())).toBeUndefined()
  })

  test('a value that was never sensitive is no secret: its variable is made sensitive with another one', async () => {
    const { add, change, known } = await made()
    await change(await add('namespace', 'shop-prod', { sensitive: false }), {
      value: 'after-the-change',
      sensitive: true,
    })
    expect(await known()).toEqual(['after-the-change'])
  })

  test('a short value from before stays in later logs: it is in other texts by chance', async () => {
    const { owner, workspace, add, change, known } = await made()
    await change(await add('pin', '1234567'), { value: 'after-the-change' })
    await change(await add('word', '12345678'), { value: 'of-the-next-apply' })
    const { id } = await startRun(owner, workspace)
    const { store, keyring } = harness.deps
    const deps = { store, keyring } as unknown as Deps
    const { secrets } = await loadRun(deps, await findRun(deps, id), 'plan')
    const values = secrets.map(({ value }) => value)
    expect(values).toContain('12345678')
    expect(values).not.toContain('1234567')
    expect(await known()).toContain('1234567')
  })

  test('overrides of a name count as secret for runs from before its variable was deleted', async () => {
    const { owner, workspace, add, known } = await made()
    const place = await add('region', 'of-the-workspace')
    const start = async (region: string, more: object = {}) => {
      const { id } = await startRun(owner, workspace, { vars: { region } })
      await harness.deps.store
        .platform('workspace_runs')
        .where({ id })
        .update({ phase: 'succeeded', endedAt: new Date(), ...more })
    }
    await start('override-from-before')
    await owner.delete(place)
    await start('override-from-after')
    expect(await known()).toEqual(['of-the-workspace', 'override-from-before'])
    // A rerun has values of an earlier run.
    await start('override-of-a-rerun', { overridesBy: [owner.id] })
    expect(await known()).toContain('override-of-a-rerun')
  })

  test('a value that a variable has which is not sensitive is no secret', async () => {
    const { owner, add, known } = await made()
    await owner.delete(await add('region', 'eu-central-1'))
    expect(await known()).toEqual(['eu-central-1'])
    await add('region', 'eu-central-1', { sensitive: false })
    expect(await known()).toEqual([])
  })

  test('a bounded number is kept: first what the current state can have, then the newest', async () => {
    const { add, change, store, known } = await made()
    const [often, once] = [await add('often', 'often-unapplied'), await add('once', 'once-applied')]
    await change(often, { value: 'often-applied' })
    await store(1)
    await change(once, { value: 'once-next' })
    for (let n = 0; n < maxRetiredValues + 5; n += 1) await change(often, { value: `often-${n}` })
    const kept = await known()
    expect(kept).toHaveLength(maxRetiredValues + 2)
    expect(kept).toEqual(expect.arrayContaining(['once-applied', 'often-applied', 'often-200']))
    expect(kept).not.toContain('often-unapplied')
    expect(kept).not.toContain('often-0')
  })

  test('a bounded number of bytes is kept', async () => {
    const { add, change, known } = await made()
    const large = (n: number) => `${n}`.padEnd(60_000, 'x')
    const place = await add('key', large(0))
    for (let n = 1; n < 12; n += 1) await change(place, { value: large(n) })
    const bytes = (await known()).reduce((sum, { length }) => sum + length, 0)
    expect(bytes).toBeLessThan(maxRetiredBytes + 60_000)
    expect(bytes).toBe(9 * 60_000)
  })
})
