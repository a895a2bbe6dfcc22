import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildArtifact } from '../../../activities/pipelines/build-artifact.ts'
import { describeArtifact } from '../../../activities/pipelines/describe-artifact.ts'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { nextApplicationStep } from '../../../activities/pipelines/next-application-step.ts'
import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import { unavailable } from '../../../domain/errors.ts'
import { runnersFor } from '../../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { artifacts } from '../../../store/runs/artifacts.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import { applicationOf, building } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import {
  hasBwrap,
  shellSandbox,
  why,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'

const cc = '/usr/bin/cc'
const canRun = hasBwrap && existsSync(cc)

// Called as Temporal would call it, in the real sandbox. Syft itself: test/peers/artifacts/syft.peer.ts.
describe.skipIf(!canRun)(`the bill of materials of an artifact (${why}; needs ${cc})`, () => {
  let harness: GitHarness
  let shell: ShellSandbox
  let builds: ReturnType<typeof buildDeps>
  let runners: RunnerPool
  let org: TestOrganization
  let owner: TestUser
  const folder = mkdtempSync(join(tmpdir(), 'cc-syft-'))
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    const syft = join(folder, 'syft')
    execFileSync(cc, ['-O1', '-o', syft, join(import.meta.dirname, 'fake-syft.c')])
    shell = await shellSandbox({
      onDisk: true,
      programs: { tofu: '/bin/bash', sh: '/bin/sh', syft },
    })
    builds = { ...buildDeps(shell.sandbox), describes: true }
    runners = runnersFor(harness.config, shell.sandbox)
    org = await harness.organization()
    owner = await org.user('Owner')
  })
  afterAll(async () => {
    await runners?.close()
    await shell?.close()
    await harness?.close()
    await rm(builds?.root, { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  })

  const deps = () => ({ ...harness.deps, builds, runners, stopping: new AbortController().signal })
  const act = <T>(activity: (input: { runId: number }) => Promise<T>, runId: number): Promise<T> =>
    new MockActivityEnvironment({ attempt: 1 }).run(activity, { runId })
  const built = async (marker: string, { sbom = 'optional' } = {}) => {
    const application = await applicationOf(
      harness,
      owner,
      building(`mkdir dist; : > dist/${marker}`),
    )
    await harness.deps.store
      .platform('pipelines')
      .where({ id: application.pipelineId })
      .update({ sbom })
    const run = await application.run()
    await act(fetchSource(deps()), run.id)
    await act(buildArtifact(deps()), run.id)
    return run
  }
  const nextOf = async (runId: number) => (await act(nextApplicationStep(deps()), runId)).next
  const sign = signArtifactOf(() => harness)
  const described = async (runId: number, with_ = deps()) => act(describeArtifact(with_), runId)
  const artifactOf = async (id: number) =>
    harness.deps.store.tenant(org.id, async (tenant) => artifacts(tenant).find(id))
  const read = async (digest: string | null | undefined) => {
    const found = await builds.artifacts.read(org.id, digest ?? '')
    const chunks: Buffer[] = []
    for await (const chunk of found?.stream ?? []) chunks.push(chunk)
    return JSON.parse(Buffer.concat(chunks).toString())
  }

  test('delivered twice, both documents are kept once, made without a network; the run goes on', async () => {
    const run = await built('x')
    expect(await nextOf(run.id)).toBe('describe')
    await Promise.all([described(run.id), described(run.id)])
    await described(run.id)
    const artifact = await artifactOf(run.id)
    expect(await read(artifact?.spdxDigest)).toEqual({ spdxVersion: 'SPDX-2.3', online: 0 })
    expect(await read(artifact?.cyclonedxDigest)).toEqual({ specVersion: '1.6', online: 0 })
    const lines = await run.lines('build')
    expect(lines.filter((line) => line.startsWith('Bill of materials: '))).toHaveLength(1)
    expect(await nextOf(run.id)).toBe('sign')
    await sign(run.id)
    expect(await nextOf(run.id)).toBe('over')
    expect(await readdir(join(builds.root, 'parts'))).toEqual([])
    const shown = (await owner.get(run.url)).json().run
    expect([shown.state, shown.artifact.sbom, shown.warnings]).toEqual([
      'succeeded',
      ['spdx', 'cyclonedx'],
      [],
    ])
  })

  test.each([
    ['fail', 'Syft: it ended with 1'],
    ['other', 'Syft wrote another document than spdx-json@2.3'],
    ['flood', 'Syft: it has a file that is too large'],
  ])('over a limit or in error (%s): without one, with a warning', async (marker, words) => {
    const run = await built(marker)
    await described(run.id)
    const lines = await run.lines('build')
    expect(lines.at(-1)).toBe(`There is no bill of materials: ${words}.`)
    await sign(run.id)
    const shown = (await owner.get(run.url)).json().run
    expect([shown.state, shown.artifact.sbom, shown.warnings]).toEqual([
      'succeeded',
      [],
      ['no_sbom'],
    ])
  })

  test('required: the build fails without one, and nothing is signed', async () => {
    const run = await built('fail', { sbom: 'required' })
    await described(run.id)
    const shown = (await owner.get(run.url)).json().run
    expect(shown).toMatchObject({
      state: 'failed',
      reason: 'build_errored',
      endMessage:
        'There is no bill of materials: Syft: it ended with 1. The pipeline requires one.',
    })
    expect(shown.artifact.signed).toBe(false)
    expect(await nextOf(run.id)).toBe('over')
    const absent = await built('x', { sbom: 'required' })
    await described(absent.id, { ...deps(), builds: { ...builds, describes: false } })
    expect((await absent.shown()).endMessage).toContain('this worker has no program for it')
  })

  test('one that takes its worker down again and again is given up', async () => {
    const run = await built('x')
    await harness.deps.store
      .platform('artifacts')
      .where({ pipelineRunId: run.id })
      .update({ descriptionsBegun: 3 })
    await described(run.id)
    expect((await run.lines('build')).at(-1)).toContain('the worker was lost while it was made')
  })

  test('a store that is away is asked again; a canceled run is not described', async () => {
    const run = await built('x')
    const away = {
      ...builds.artifacts,
      read: async () => {
        throw unavailable('artifact_store_unavailable', 'away')
      },
    }
    await expect(
      described(run.id, { ...deps(), builds: { ...builds, artifacts: away } }),
    ).rejects.toMatchObject({ code: 'artifact_store_unavailable' })
    expect(await nextOf(run.id)).toBe('describe')
    expect((await owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    await described(run.id)
    expect((await artifactOf(run.id))?.describedAt).toBeNull()
  })
})

const signArtifactOf = (harness: () => GitHarness) => async (runId: number) =>
  signArtifact({ ...harness().deps, publicOrigin: 'https://control.example' })({ runId })
