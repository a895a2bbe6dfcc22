import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimBytes } from '../../app/artifacts/claim-bytes.ts'
import type { ArtifactStore } from '../../gateways/artifacts/artifact-store.ts'
import { newestKept } from '../../store/runs/sweep-artifacts.ts'
import { sweepArtifactsTask } from '../../worker/tasks/sweep-artifacts.ts'
import { applicationPipeline, applicationRun } from '../harness/application-run.ts'
import { builtRun, type BuiltRun } from '../harness/built-run.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'

describe('the sweep of artifacts', () => {
  let harness: Harness
  let org: TestOrganization
  let owner: TestUser
  let pipelineId: number
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const platform = () => harness.deps.store.platform
  const begin = async () => {
    org = await harness.organization()
    owner = await org.user('Owner')
    pipelineId = await applicationPipeline(harness.deps, org.id)
  }
  const build = async (bytes = randomBytes(500)) =>
    builtRun(harness.deps, owner, { pipelineId, bytes, sign: false })
  /** Ends runs, and makes their artifacts and bytes so old. */
  const age = async (days: number, runs: readonly BuiltRun[]) => {
    const ids = runs.map(({ id }) => id)
    const at = new Date(Date.now() - days * 86_400_000)
    await platform()('application_runs')
      .whereIn('pipelineRunId', ids)
      .update({ phase: 'succeeded' })
    await platform()('artifacts').whereIn('pipelineRunId', ids).update({ createdAt: at })
    await platform()('artifact_blobs').where({ organizationId: org.id }).update({ claimedAt: at })
  }
  const sweep = async (artifacts: ArtifactStore = harness.deps.artifacts) => {
    await platform()('artifact_sweeps').update({ sweptAt: new Date(0) })
    const log = pino({ level: 'silent' })
    while (
      (await sweepArtifactsTask({ store: harness.deps.store, artifacts, log }).run()) === 'more'
    );
  }
  const isThere = async ({ digest }: BuiltRun) => {
    const found = await harness.deps.artifacts.read(org.id, digest)
    found?.stream.destroy()
    return found !== undefined
  }
  const isKept = async ({ id }: BuiltRun) =>
    (await platform()('artifacts').where({ pipelineRunId: id }).first()).sweptAt === null

  test('keeps the newest 20 at any age, all of the last days, and what is in use', async () => {
    await begin()
    const runs: BuiltRun[] = []
    for (let n = 0; n < newestKept + 6; n += 1) runs.push(await build())
    const [agents, deployed, replaced, waiting, young, old] = runs
    if (!agents || !deployed || !replaced || !waiting || !young || !old) throw new Error('too few')
    await age(40, runs)
    await age(20, [young])
    const workspace = await org.workspace({ by: owner })
    const at = { organizationId: org.id, workspaceId: workspace.id }
    await platform()('agents').insert({ ...at, name: 'web-1', releaseDigest: agents.digest })
    for (const run of [replaced, deployed])
      await platform()('deployments').insert({
        ...at,
        pipelineRunId: run.id === deployed.id ? waiting.id : run.id,
        pipelineId,
        artifactRunId: run.id,
        strategy: '{}',
        agentsUntil: new Date(),
        outcome: 'succeeded',
        endedAt: new Date(),
      })
    await platform()('application_runs')
      .where({ pipelineRunId: waiting.id })
      .update({ phase: 'awaiting_approval' })
    await sweep()
    const kept = await Promise.all(runs.map(isKept))
    expect(kept).toEqual(runs.map((run) => run.id !== old.id && run.id !== replaced.id))
    expect(await Promise.all(runs.map(isThere))).toEqual(kept)
    const { entries } = (await owner.get('/api/audit?limit=100')).json()
    const swept = entries.filter(
      ({ event }: { event: string }) => event === 'pipeline.artifacts_swept',
    )
    expect(swept).toHaveLength(1)
    expect(swept[0].detail).toMatchObject({ artifacts: 2, artifactDays: 30 })
    // A longer time of the organization, and a second pass on the same day: nothing.
    await sweep()
    expect(await Promise.all(runs.map(isKept))).toEqual(kept)
  })

  test('the setting artifactDays is what counts', async () => {
    await begin()
    const runs: BuiltRun[] = []
    for (let n = 0; n < newestKept + 1; n += 1) runs.push(await build())
    await age(40, runs)
    expect((await owner.patch('/api/org/settings', { artifactDays: 731 })).statusCode).toBe(400)
    expect((await owner.patch('/api/org/settings', { artifactDays: 41 })).statusCode).toBe(200)
    await sweep()
    expect(await isKept(runs[0]!)).toBe(true)
    expect((await owner.patch('/api/org/settings', { artifactDays: 39 })).statusCode).toBe(200)
    await sweep()
    expect(await isKept(runs[0]!)).toBe(false)
  })

  test('the same bytes of a newer run stay; a build may put swept bytes again', async () => {
    await begin()
    const bytes = randomBytes(500)
    const [first, again] = [await build(bytes), await build(bytes)]
    await age(40, [first, again])
    await platform()('artifacts').where({ pipelineRunId: first.id }).update({ sweptAt: new Date() })
    await sweep()
    expect(await isThere(again)).toBe(true)
    await platform()('artifacts').where({ pipelineRunId: again.id }).update({ sweptAt: new Date() })
    await platform()('artifact_blobs')
      .where({ organizationId: org.id })
      .update({ removableAt: new Date(0) })
    await sweep()
    expect(await isThere(again)).toBe(false)
    expect(await platform()('artifact_blobs').where({ organizationId: org.id })).toEqual([])
    const third = await build(bytes)
    await sweep()
    expect([await isKept(third), await isThere(third)]).toEqual([true, true])
  })

  test('a deleted pipeline: its bytes stay for 30 days, and then go', async () => {
    await begin()
    const run = await build()
    await age(1, [run])
    expect((await owner.delete(`/api/pipelines/${pipelineId}`)).statusCode).toBe(200)
    await sweep()
    expect(await isThere(run)).toBe(true)
    const [blob] = await platform()('artifact_blobs').where({ organizationId: org.id })
    const days = (blob.removableAt.getTime() - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThan(30.1)
    await platform()('artifact_blobs')
      .where({ organizationId: org.id })
      .update({ removableAt: new Date() })
    await sweep()
    expect(await isThere(run)).toBe(false)
  })

  test('a deleted pipeline: what another one promoted stays for 30 days, and then as long as it is deployed', async () => {
    await begin()
    const runs = [await build(), await build()]
    await age(400, runs)
    const workspace = await org.workspace({ by: owner })
    const other = await applicationPipeline(harness.deps, org.id, workspace.id)
    const [deployed, done] = await Promise.all(
      runs.map(async ({ id }) =>
        applicationRun(harness.deps, org.id, {
          pipelineId: other,
          origin: 'push',
          authorUserId: null,
          artifactRunId: id,
        }),
      ),
    )
    if (!deployed || !done) throw new Error('too few')
    const ids = [deployed.id, done.id]
    await platform()('application_runs')
      .whereIn('pipelineRunId', ids)
      .update({ phase: 'succeeded' })
    await platform()('deployments').insert({
      organizationId: org.id,
      workspaceId: workspace.id,
      pipelineRunId: deployed.id,
      pipelineId: other,
      artifactRunId: runs[0]!.id,
      strategy: '{}',
      agentsUntil: new Date(),
      outcome: 'succeeded',
      endedAt: new Date(),
    })
    expect((await owner.delete(`/api/pipelines/${pipelineId}`)).statusCode).toBe(200)
    await sweep()
    expect(await Promise.all(runs.map(isKept))).toEqual([true, true])
    const url = `/api/pipelines/${other}/runs/${done.id}`
    const { artifact } = (await owner.get(url)).json().run
    const days = (Date.parse(artifact.keptUntil) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThan(30.1)
    await platform()('artifacts')
      .whereNotNull('pipelineDeletedAt')
      .update({ pipelineDeletedAt: new Date(Date.now() - 31 * 86_400_000) })
    await sweep()
    expect(await Promise.all(runs.map(isKept))).toEqual([true, false])
    expect(await Promise.all(runs.map(isThere))).toEqual([true, false])
  })

  test('killed in the middle: no row without bytes says that it is kept, and the next pass ends it', async () => {
    await begin()
    const runs: BuiltRun[] = []
    for (let n = 0; n < newestKept + 2; n += 1) runs.push(await build())
    await age(40, runs)
    const [first, second] = runs
    if (!first || !second) throw new Error('too few')
    const killed = new Error('killed')
    // Before the bytes go, and after they are gone.
    for (const [run, remove] of [
      [first, async () => Promise.reject(killed)],
      [
        second,
        async (organizationId: number, digest: string) => {
          await harness.deps.artifacts.remove(organizationId, digest)
          throw killed
        },
      ],
    ] as const) {
      await expect(sweep({ ...harness.deps.artifacts, remove })).rejects.toThrow()
      for (const one of runs) if (await isKept(one)) expect(await isThere(one)).toBe(true)
      expect(await isKept(run)).toBe(false)
      await platform()('artifact_blobs')
        .whereNotNull('removingAt')
        .update({ removingAt: new Date(0) })
    }
    await sweep()
    expect(await platform()('artifact_blobs').where({ organizationId: org.id })).toHaveLength(
      newestKept,
    )
  })

  test('a build waits for the removal of the same bytes, and then puts them', async () => {
    await begin()
    const bytes = randomBytes(500)
    const run = await build(bytes)
    await age(40, [run])
    await platform()('artifacts').where({ pipelineRunId: run.id }).update({ sweptAt: new Date() })
    await platform()('artifact_blobs')
      .where({ organizationId: org.id })
      .update({ removableAt: new Date(0) })
    let isRemoving: () => void = () => undefined
    const removing = new Promise<void>((resolve) => (isRemoving = resolve))
    let goOn: () => void = () => undefined
    const held = new Promise<void>((resolve) => (goOn = resolve))
    const swept = sweep({
      ...harness.deps.artifacts,
      async remove(organizationId, digest) {
        isRemoving()
        await held
        await harness.deps.artifacts.remove(organizationId, digest)
      },
    })
    await removing
    let isClaimed = false
    const claimed = claimBytes(
      harness.deps.store,
      org.id,
    )(run.digest).then(() => (isClaimed = true))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(isClaimed).toBe(false)
    goOn()
    await Promise.all([swept, claimed])
    const next = await build(bytes)
    await sweep()
    expect([await isKept(next), await isThere(next)]).toEqual([true, true])
  })
})
