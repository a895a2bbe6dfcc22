import { rm } from 'node:fs/promises'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildArtifact } from '../../../activities/pipelines/build-artifact.ts'
import { describeArtifact } from '../../../activities/pipelines/describe-artifact.ts'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import { runnersFor } from '../../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { placeOfPipelineValue } from '../../../store/pipelines/pipeline-variables.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import { applicationOf, manifestWith } from '../../harness/git/application-of.ts'
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
describe.skipIf(!hasBwrap)(`variables of a build (${why})`, () => {
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
    harness.secrets.note('a build variable', secret)
  })
  afterAll(async () => {
    await runners?.close()
    await shell?.close()
    await harness?.close()
    await rm(builds?.root, { recursive: true, force: true })
  })

  const secret = 'npm_4f9s8dKq27LmZx01Vb'
  const tokenVariable = { key: 'NPM_TOKEN', value: secret, phase: 'build', sensitive: true }
  const deps = () => ({
    ...harness.deps,
    builds,
    runners,
    stopping: new AbortController().signal,
  })
  const built = async (
    files: Record<string, string>,
    variables: ReadonlyArray<Record<string, unknown>>,
    settings: Record<string, unknown> = {},
  ) => {
    const application = await applicationOf(harness, owner, files)
    const url = `/api/pipelines/${application.pipelineId}`
    for (const variable of variables) {
      const made = await owner.post(`${url}/variables`, variable)
      expect(made.statusCode, made.body).toBe(201)
    }
    expect((await owner.patch(url, settings)).statusCode).toBe(200)
    return { ...application, finish: async () => finished(application) }
  }
  const finished = async (application: Awaited<ReturnType<typeof applicationOf>>) => {
    const run = await application.run()
    for (const activity of [fetchSource, buildArtifact])
      await new MockActivityEnvironment({ attempt: 1 }).run(activity(deps()), { runId: run.id })
    if ((await run.shown()).state === 'running') {
      await new MockActivityEnvironment({ attempt: 1 }).run(describeArtifact(deps()), {
        runId: run.id,
      })
      await signArtifact({ ...deps(), publicOrigin: 'https://control.example' })({ runId: run.id })
    }
    return {
      shown: await run.shown(),
      lines: await run.lines('build'),
      source: await run.lines('source'),
    }
  }

  test('a plain one is in every step, a sensitive one in the step that names it, and masked in its log', async () => {
    const { finish } = await built(
      manifestWith(`secrets: [NPM_TOKEN]
steps:
  - name: without
    run: |
      echo "word $WORD, token <\${NPM_TOKEN-unset}>, lang $LANG"
  - name: with
    secrets: [NPM_TOKEN]
    env: { WORD: own }
    run: |
      echo "word $WORD, token <$NPM_TOKEN>"
      printf %s "$NPM_TOKEN" | base64
      printf %s "$NPM_TOKEN" | wc -c
      mkdir dist; : > dist/x
artifact:
  path: dist`),
      [
        tokenVariable,
        { key: 'WORD', value: 'hello', phase: 'build' },
        { key: 'WORD', value: 'of the hooks', phase: 'deploy' },
        { key: 'HOOKS_ONLY', value: 'of the hooks', phase: 'deploy' },
      ],
    )
    const { shown, lines } = await finish()
    expect(shown, lines.join('\n')).toMatchObject({ state: 'succeeded' })
    expect(lines).toContain('word hello, token <unset>, lang C.UTF-8')
    expect(lines).toContain('word own, token <[masked]>')
    expect(lines).toContain(String(secret.length))
    expect(lines.join('\n')).not.toContain(secret)
    expect(lines.join('\n')).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20))
  })

  test('a value that a step writes into the name of a file or step is masked in what is said of it', async () => {
    const { finish } = await built(
      manifestWith(`secrets: [NPM_TOKEN]
steps:
  - secrets: [NPM_TOKEN]
    run: 'mkdir dist; ln -s /etc "dist/$NPM_TOKEN"'
artifact:
  path: dist`),
      [tokenVariable],
    )
    const { shown, lines } = await finish()
    expect(shown.endMessage).toContain('[masked]')
    expect(JSON.stringify([shown, lines])).not.toContain(secret)
  })

  test('a secret that cannot be masked fails the run before a line is printed', async () => {
    const { finish, pipelineId } = await built(
      manifestWith(
        'secrets: [NPM_TOKEN]\nsteps:\n  - run: "echo ran; mkdir dist; : > dist/x"\nartifact:\n  path: dist',
      ),
      [tokenVariable],
    )
    // As an older version may have stored it.
    await harness.deps.store
      .platform('pipeline_variables')
      .where({ pipelineId })
      .update({ value: harness.deps.keyring.seal(placeOfPipelineValue(org.id), 'abc') })
    const { shown, lines } = await finish()
    expect(shown).toMatchObject({
      state: 'failed',
      reason: 'build_errored',
      endMessage: expect.stringContaining('"NPM_TOKEN" is shorter than 4 characters'),
    })
    expect(lines).toEqual([shown.endMessage])
  })

  test('secrets whose masks would be too large end the run by its reason, before a cache is named', async () => {
    const { finish, pipelineId } = await built(
      {
        ...manifestWith(
          'secrets: [NPM_TOKEN]\ncache:\n  - { path: .kept, key: [lock] }\nsteps:\n  - run: "echo ran; mkdir dist; : > dist/x"\nartifact:\n  path: dist',
        ),
        lock: 'one',
      },
      [tokenVariable],
    )
    // Its forms take 18 times its size.
    const value = '\u0001'.repeat(800_000)
    await harness.deps.store
      .platform('pipeline_variables')
      .where({ pipelineId })
      .update({ value: harness.deps.keyring.seal(placeOfPipelineValue(org.id), value) })
    const { shown, lines } = await finish()
    expect(shown).toMatchObject({
      state: 'failed',
      reason: 'build_errored',
      endMessage: expect.stringMatching(/^The sensitive variables take 800000 bytes together/),
    })
    expect(lines).toEqual([shown.endMessage])
  })

  test('a name that is no sensitive build variable ends the build before a step runs', async () => {
    const files = manifestWith(
      'secrets: [WORD]\nsteps:\n  - { run: "echo ran", secrets: [WORD] }\nartifact:\n  path: dist',
    )
    for (const [variables, words] of [
      [[], 'has no sensitive build variable of this name'],
      [[{ key: 'WORD', value: 'hello', phase: 'build' }], 'is not sensitive'],
      [
        [{ key: 'WORD', value: 'hello', phase: 'deploy', sensitive: true }],
        'has no sensitive build variable of this name',
      ],
    ] as const) {
      const { finish } = await built(files, variables)
      const { shown, lines } = await finish()
      expect(shown.endMessage).toContain(words)
      expect(lines).not.toContain('ran')
    }
  })

  test('the folder of the pipeline has the manifest, and the steps and the artifact are in it', async () => {
    const manifest = manifestWith(
      'steps:\n  - run: "cat word; mkdir dist; cp word dist"\nartifact:\n  path: dist',
    )
    const inFolder = Object.fromEntries(
      Object.entries({ ...manifest, word: 'of web\n' }).map(([name, text]) => [
        `apps/web/${name}`,
        text,
      ]),
    )
    const files = { ...inFolder, word: 'of the top\n' }
    const { finish } = await built(files, [], { appPath: 'apps/web' })
    const { shown, lines } = await finish()
    expect(shown, lines.join('\n')).toMatchObject({ state: 'succeeded' })
    expect(lines).toContain('of web')
    const gone = await (await built(files, [], { appPath: 'apps/api' })).finish()
    expect(gone.shown).toMatchObject({
      reason: 'source_errored',
      endMessage: 'The commit has no folder apps/api.',
    })
    const without = await (
      await built({ ...files, 'apps/x/y': '' }, [], { appPath: 'apps/x' })
    ).finish()
    expect(without.shown).toMatchObject({
      endMessage: expect.stringContaining('The commit has no apps/x/.cloud-control/pipeline.yml.'),
      details: { starter: { path: 'apps/x/.cloud-control/pipeline.yml' } },
    })
  })
})
