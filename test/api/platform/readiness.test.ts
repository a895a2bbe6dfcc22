import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApp } from '../../../api/app.ts'
import type { ArtifactStore } from '../../../gateways/artifacts/artifact-store.ts'
import { artifactFolder } from '../../../gateways/artifacts/folder.ts'
import { probeArtifactsTask } from '../../../worker/tasks/probe-artifacts.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(() => harness.close())

const readyz = async () => (await harness.app.inject('/readyz')).json()

test('200: /readyz checks its dependencies once a second, at any number of requests', async () => {
  const pollers = vi.spyOn(harness.deps.engine, 'pollers')
  const raw = vi.spyOn(harness.deps.store.platform, 'raw')
  const held = Promise.withResolvers<never>()
  pollers.mockReturnValueOnce(held.promise)
  // All requests wait for the one check that is running.
  const asked = Array.from({ length: 50 }, readyz)
  held.reject(new Error('the engine is down'))
  const answers = await Promise.all(asked)
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  await Promise.all(Array.from({ length: 50 }, readyz))
  expect(pollers).toHaveBeenCalledTimes(1)
  const looks = raw.mock.calls.filter(([sql]) => sql.includes('schema_migrations'))
  expect(looks).toHaveLength(1)

  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001)
  await readyz()
  expect(pollers).toHaveBeenCalledTimes(2)
  vi.restoreAllMocks()
})

test('200: the answer shows which runs hold memory', async () => {
  const pollers = vi.spyOn(harness.deps.engine, 'pollers')
  let now = performance.now() + 10_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const sandboxWith = async (tofu: number, withoutCgroup: number) => {
    pollers.mockResolvedValue({ control: 1, tofu, withoutCgroup })
    now += 2_000
    return (await readyz()).sandbox
  }
  expect(await sandboxWith(2, 0)).toEqual({ kind: 'bubblewrap', memory: 'cgroup' })
  expect(await sandboxWith(0, 0)).toEqual({ kind: 'bubblewrap', memory: 'unknown' })
  expect(await sandboxWith(2, 1)).toEqual({
    kind: 'bubblewrap',
    memory: 'watch',
    detail: '1 of 2 workers have no cgroup v2: a watch holds the memory of runs',
  })
  clock.mockRestore()
  pollers.mockRestore()
})

describe('/readyz names artifacts', () => {
  const log = pino({ level: 'silent' })
  const partOf = async (app = harness.app) => (await app.inject('/readyz')).json().artifacts
  /** A second worker, whose store is another folder or broken. */
  const workerWith = (artifacts: ArtifactStore) =>
    probeArtifactsTask({ store: harness.deps.store, artifacts, log }).run()
  const later = () =>
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 20_000 * (n += 1))
  let n = 1

  test('200: one store is ok; a worker with another one is named, and the rest stays ready', async () => {
    later()
    expect(await partOf()).toEqual({ ok: true })
    await workerWith(harness.deps.artifacts)
    later()
    expect(await partOf()).toEqual({ ok: true })
    const other = mkdtempSync(join(tmpdir(), 'other-store-'))
    onTestFinished(() => rmSync(other, { recursive: true }))
    await workerWith(artifactFolder(other))
    later()
    expect(await partOf()).toEqual({
      ok: false,
      detail:
        '1 of 2 workers have another artifact store: CC_ARTIFACT_STORE must name one that all share',
    })
    vi.restoreAllMocks()
  })

  test('200: a store that fails or does not answer is named within seconds', async () => {
    const fails = async () => {
      throw new Error('a path of the host')
    }
    for (const writeProbe of [fails, async () => new Promise<never>(() => undefined)]) {
      const artifacts = { ...harness.deps.artifacts, writeProbe }
      const app = await createApp({ ...harness.deps, artifacts })
      onTestFinished(async () => app.close())
      expect(await partOf(app)).toEqual({
        ok: false,
        detail: 'the artifact store, or the database, cannot be used',
      })
    }
  })
})
