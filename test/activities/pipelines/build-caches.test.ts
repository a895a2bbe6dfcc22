import { execFileSync } from 'node:child_process'
import { createReadStream, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildArtifact } from '../../../activities/pipelines/build-artifact.ts'
import { describeArtifact } from '../../../activities/pipelines/describe-artifact.ts'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import { runnersFor } from '../../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { buildCaches } from '../../../store/pipelines/build-caches.ts'
import { sweepBuildCachesTask } from '../../../worker/tasks/sweep-build-caches.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import { applicationOf, manifestWith, type Application } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import {
  hasBwrap,
  shellSandbox,
  why,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'

// Called as Temporal would call it, with a real runner and the real sandbox.
describe.skipIf(!hasBwrap)(`caches of builds (${why})`, () => {
  let harness: GitHarness
  let shell: ShellSandbox
  let builds: ReturnType<typeof buildDeps>
  let runners: RunnerPool
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    shell = await shellSandbox({ onDisk: true })
    builds = buildDeps(shell.sandbox)
    runners = runnersFor(harness.config, shell.sandbox)
    org = await harness.organization()
    owner = await org.user('Owner')
  })
  afterAll(async () => {
    await runners?.close()
    await shell?.close()
    await harness?.close()
    await rm(builds?.root, { recursive: true, force: true })
  })

  const deps = () => ({
    ...harness.deps,
    builds,
    runners,
    stopping: new AbortController().signal,
    publicOrigin: 'https://control.example',
  })
  const files = (run: string) => ({
    ...manifestWith(`cache:
  - { path: deep/.kept, key: [lock] }
steps:
  - run: |
${run.replaceAll(/^/gm, '      ')}
      mkdir -p dist deep/.kept; : > dist/x
artifact:
  path: dist`),
    lock: 'one',
  })
  const counting =
    'cat deep/.kept/word || echo none; mkdir -p deep/.kept; echo "$CC_BRANCH" > deep/.kept/word'
  const build = async (application: Application, branch = 'main') => {
    const run = await application.run({ branch })
    for (const activity of [fetchSource, buildArtifact, describeArtifact, signArtifact])
      await new MockActivityEnvironment({ attempt: 1 }).run(activity(deps()), { runId: run.id })
    const lines = await run.lines('build')
    expect(lines.join('\n')).toContain('Artifact sha256:')
    return lines
  }
  const branchOff = (repo: string, branch: string) =>
    execFileSync('git', ['--git-dir', harness.peer.path?.(repo) ?? '', 'branch', branch, 'main'])
  const rowsOf = async ({ pipelineId }: Application) =>
    harness.deps.store.platform('build_caches').where({ pipelineId }).orderBy('id')
  const stored = () =>
    readdirSync(join(builds.root, 'caches'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{64}$/.test(name),
    )

  test('the second build has what the first one left; another key has nothing', async () => {
    const application = await applicationOf(harness, owner, files(counting))
    const first = await build(application)
    expect(first).toContain('none')
    expect(first).toContain('The cache deep/.kept is empty: no build kept one by this key.')
    expect(first).toContain('The cache deep/.kept is kept for later builds.')
    const second = await build(application)
    expect(second).toContain('main')
    expect(second.find((line) => line.includes('is restored'))).toMatch(/^The cache deep\/\.kept/)
    expect(await rowsOf(application)).toHaveLength(1)
    await harness.peer.edit(application.repo, { write: { lock: 'two' } })
    expect(await build(application)).toContain('none')
    expect(await rowsOf(application)).toHaveLength(2)
  })

  test('another branch reads what the own branch kept and never writes it; a tag reads nothing of others', async () => {
    const application = await applicationOf(harness, owner, files(counting))
    branchOff(application.repo, 'feature')
    expect(await build(application, 'feature')).toContain('none')
    // The own branch does not see what another one planted.
    expect(await build(application)).toContain('none')
    expect((await rowsOf(application)).map(({ scope }) => scope)).toEqual(['other', 'protected'])
    expect(await build(application)).toContain('main')
    await harness.deps.store.platform('build_caches').where({ scope: 'other' }).delete()
    expect(await build(application, 'feature')).toContain('main')
    expect((await rowsOf(application)).map(({ scope }) => scope)).toEqual(['protected'])
  })

  test('once the source of the pipeline is another one, so are its caches', async () => {
    const application = await applicationOf(harness, owner, files(counting))
    branchOff(application.repo, 'feature')
    await build(application)
    const pipeline = () =>
      harness.deps.store.platform('pipelines').where({ id: application.pipelineId })
    await pipeline().update({ appBranch: 'feature' })
    expect(await build(application, 'feature')).toContain('none')
    expect(await build(application, 'feature')).toContain('feature')
    await pipeline().update({ appBranch: 'main' })
    expect(await build(application)).toContain('main')
  })

  test('a broken cache, one whose bytes are gone, and one of another archive are warnings', async () => {
    const application = await applicationOf(harness, owner, files(counting))
    await build(application)
    const [row] = await rowsOf(application)
    const place = stored().find((name) => name.endsWith(row.digest.slice(7))) ?? ''
    await rm(join(builds.root, 'caches', place))
    writeFileSync(join(builds.root, 'caches', place), 'other bytes')
    const broken = await build(application)
    expect(broken.find((line) => line.includes('cannot be used'))).toContain('deep/.kept')
    expect(broken).toContain('none')
    // It was forgotten; the build after it makes it anew.
    await build(application)
    expect(await build(application)).toContain('main')
    await rm(join(builds.root, 'caches'), { recursive: true })
    expect(await build(application)).toContain('none')
  })

  test('hostile archives: nothing outside of the workbench is written or read', async () => {
    const application = await applicationOf(
      harness,
      owner,
      files('ls -la deep/.kept || true; cat deep/.kept/out/passwd || true'),
    )
    await build(application)
    const folder = join(builds.root, 'planted')
    execFileSync('sh', [
      '-ec',
      `mkdir -p "$0"; cd "$0"; ln -s ${harness.config.dataDir} out; echo planted > planted
       tar -cf a.tar out --transform 's,^planted,../../escaped,' planted -P; zstd -q a.tar`,
      folder,
    ])
    const bytes = await builds.caches.put(org.id, createReadStream(join(folder, 'a.tar.zst')), {
      maxBytes: 1024 ** 2,
    })
    await harness.deps.store
      .platform('build_caches')
      .where({ pipelineId: application.pipelineId })
      .update({ digest: bytes.digest })
    const lines = await build(application)
    expect(lines.join('\n')).not.toContain('root:')
    expect(readdirSync(builds.root)).not.toContain('escaped')
  })

  test('beyond its share the oldest goes; what is not used for a month, or lost its pipeline, is swept', async () => {
    const application = await applicationOf(harness, owner, files(counting))
    const other = await applicationOf(harness, owner, files(counting))
    await build(application)
    await build(other)
    const [kept] = await rowsOf(application)
    const digests = await harness.deps.store.tenant(org.id, async (tenant) => {
      const caches = buildCaches(tenant)
      const key = (sign: string) => sign.repeat(64)
      for (const sign of ['1', '2', '3'])
        await caches.add(application.pipelineId, {
          scope: 'protected',
          key: key(sign),
          digest: `sha256:${key(sign)}`,
          sizeBytes: 1_000,
        })
      return caches.shrink(application.pipelineId, 2_500)
    })
    // The bytes of the first are another pipeline's too, so they stay.
    const [same] = await rowsOf(other)
    expect(digests).toEqual(
      same.digest === kept.digest
        ? [`sha256:${'1'.repeat(64)}`]
        : expect.arrayContaining([kept.digest]),
    )
    expect((await rowsOf(application)).map(({ key }) => key[0])).toEqual(['2', '3'])

    const before = stored().filter((name) => name.endsWith(same.digest.slice(7)))
    expect(before).toHaveLength(1)
    await harness.deps.store
      .platform('build_caches')
      .where({ pipelineId: other.pipelineId })
      .update({ usedAt: new Date(Date.now() - 31 * 86_400_000) })
    expect((await owner.delete(`/api/pipelines/${application.pipelineId}`)).statusCode).toBe(200)
    await sweepBuildCachesTask({ ...harness.deps, builds }).run()
    expect(await rowsOf(other)).toEqual([])
    expect(stored().filter((name) => name.endsWith(same.digest.slice(7)))).toEqual([])
    expect(await harness.deps.store.platform('build_caches').whereNull('pipelineId')).toEqual([])
  })
})
