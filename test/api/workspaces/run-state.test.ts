import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endRun } from '../../../app/runs/end-run.ts'
import { systemActor } from '../../../store/audit/audit-log.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'
import { runInPhase } from './run-in-phase.ts'

describe('/api/workspaces/{id}/state, with a run’s token', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const made = async (phase: 'planning' | 'applying') => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const run = await runInPhase(harness.deps, place, phase)
    const client = stateClient(harness.app, workspace, run.token)
    const versions = async () =>
      (await owner.get(`${workspace.url}/state/versions`)).json().versions
    return { org, owner, workspace, place, run, client, versions }
  }

  test('200: an apply names its lock, writes under it, and keeps the lock after UNLOCK', async () => {
    const { owner, workspace, run, client, versions } = await made('applying')
    const info = lockInfo({ Who: 'root@sandbox' })
    expect((await client.lock(info)).statusCode).toBe(200)
    const stranger = stateClient(harness.app, workspace, await owner.token())
    expect((await stranger.lock()).json()).toMatchObject({ ID: info.ID, Who: `run ${run.id}` })
    expect((await stranger.write(stateOf(1), info.ID)).statusCode).toBe(423)
    expect((await client.write(stateOf(1))).json().code).toBe('lock_mismatch')
    expect((await client.write(stateOf(2), info.ID)).statusCode).toBe(200)
    expect((await client.unlock(info)).statusCode).toBe(200)
    const { locked } = (await owner.get(workspace.url)).json().workspace
    expect(locked.holder).toMatchObject({ kind: 'run', alive: false })
    expect((await versions()).map((version: { status: string }) => version.status)).toEqual([
      'finalized',
      'quarantined',
    ])
    expect((await owner.get(`${workspace.url}/state/versions`)).json().versions[0]).toMatchObject({
      serial: 2,
      runId: run.id,
    })
  })

  test('403: a plan’s token may read and not write', async () => {
    const { client, versions } = await made('planning')
    expect((await client.read()).statusCode).toBe(204)
    const answers = [
      await client.lock(),
      await client.unlock(lockInfo()),
      await client.write(stateOf(1)),
    ]
    for (const answer of answers) expect(answer.statusCode).toBe(403)
    expect(await versions()).toEqual([])
  })

  test('404: a run’s token on another workspace; 401: on another route', async () => {
    const { org, workspace, run } = await made('applying')
    const sibling = await org.workspace()
    const foreign = await (await harness.organization()).workspace()
    for (const other of [sibling, foreign]) {
      const client = stateClient(harness.app, other, run.token)
      const answers = [
        await client.read(),
        await client.write(stateOf(1)),
        await client.lock(),
        await client.unlock(lockInfo()),
      ]
      for (const answer of answers) expect(answer.statusCode).toBe(404)
    }
    const headers = { authorization: `Bearer ${run.token}` }
    for (const path of ['', '/variables', '/state/versions', '/outputs', '/configuration'])
      expect(
        (await harness.app.inject({ url: `${workspace.url}${path}`, headers })).statusCode,
      ).toBe(401)
  })

  test('409 fenced: a lost worker’s state is quarantined once and never current', async () => {
    const { org, owner, workspace, client, versions } = await made('applying')
    await client.write(stateOf(1))
    await harness.deps.store.tenant(org.id, async (tenant) =>
      workspaces(tenant).raiseFence(workspace.id),
    )
    expect((await client.read()).statusCode).toBe(401)
    expect((await client.lock()).statusCode).toBe(401)
    expect((await client.unlock(lockInfo())).statusCode).toBe(401)
    const late = [await client.write(stateOf(2)), await client.write(stateOf(2))]
    for (const answer of late) expect(answer.json().code).toBe('fenced')
    const kept = await versions()
    expect(
      kept.map(({ serial, status, reason }: Record<string, unknown>) => [serial, status, reason]),
    ).toEqual([
      [2, 'quarantined', 'fenced'],
      [1, 'finalized', null],
    ])
    const body = await owner.get(`${workspace.url}/state/quarantined/${kept[0].id}`)
    expect(body.json().serial).toBe(2)
    expect((await owner.get(`${workspace.url}/state/quarantined/${kept[1].id}`)).statusCode).toBe(
      404,
    )
    expect((await owner.get(`${workspace.url}/state/versions/2`)).statusCode).toBe(404)
    expect((await owner.get(workspace.url)).json().workspace.stateSerial).toBe(1)
  })

  test('409 fenced: a token ends with its run, and cannot fill the database', async () => {
    const { org, run, client, versions } = await made('applying')
    await harness.deps.store.tenant(org.id, async (tenant) =>
      endRun(
        tenant,
        { organizationId: org.id, workspaceRunId: run.id, actor: systemActor },
        { phase: 'failed', reason: 'runner_lost' },
      ),
    )
    for (let serial = 1; serial <= 25; serial += 1)
      expect((await client.write(stateOf(serial))).statusCode).toBe(409)
    expect((await versions()).length).toBe(20)
  })

  test('409: a state of a live apply that cannot become current is quarantined too', async () => {
    const { client, versions } = await made('applying')
    await client.write(stateOf(3))
    expect((await client.write(stateOf(3))).statusCode).toBe(200)
    expect((await client.write(stateOf(2))).json().code).toBe('serial_conflict')
    expect((await client.write(stateOf(4, { lineage: 'x' }))).json().code).toBe('lineage_mismatch')
    expect((await versions()).map(({ reason }: { reason: string | null }) => reason)).toEqual([
      'lineage_mismatch',
      'serial_conflict',
      null,
    ])
  })

  test('409: a forced unlock and a restore are refused during an apply', async () => {
    const { owner, workspace, client } = await made('applying')
    await client.write(stateOf(1))
    const info = lockInfo()
    await client.lock(info)
    const person = stateClient(harness.app, workspace, await owner.token())
    expect((await person.unlock(info)).json().code).toBe('run_in_progress')
    const forced = await owner.post(`${workspace.url}/unlock`, { force: true })
    expect(forced.json().code).toBe('run_in_progress')
    const restored = await owner.post(`${workspace.url}/state/versions/1/restore`)
    expect(restored.json().code).toBe('run_in_progress')
    expect((await owner.post(`${workspace.url}/lock`, {})).statusCode).toBe(423)
  })

  test('200: with two programs of one run, the later LOCK counts', async () => {
    const { client } = await made('applying')
    const [first, second] = [lockInfo(), lockInfo()]
    await client.lock(first)
    expect((await client.lock(second)).statusCode).toBe(200)
    expect((await client.write(stateOf(1), first.ID)).json().code).toBe('lock_mismatch')
    expect((await client.write(stateOf(1), second.ID)).statusCode).toBe(200)
  })
})
