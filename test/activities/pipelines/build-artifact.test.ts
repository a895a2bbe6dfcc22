import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildArtifact } from '../../../activities/pipelines/build-artifact.ts'
import { describeArtifact } from '../../../activities/pipelines/describe-artifact.ts'
import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { runnersFor } from '../../../gateways/runner/runners-for.ts'
import type { RunnerPool } from '../../../gateways/runner/runner-pool.ts'
import { artifacts } from '../../../store/runs/artifacts.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import {
  applicationOf,
  building,
  manifestWith,
  type Application,
} from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import {
  hasBwrap,
  shellSandbox,
  why,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'
import { releaseHooks } from '../../../store/runs/release-hooks.ts'

// Called as Temporal would call it, with a real runner and the real sandbox.
describe.skipIf(!hasBwrap)(`the build of an application (${why})`, () => {
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
  })
  const deliver = async (runId: number) => {
    await new MockActivityEnvironment({ attempt: 1 }).run(buildArtifact(deps()), { runId })
    await new MockActivityEnvironment({ attempt: 1 }).run(describeArtifact(deps()), { runId })
    await signArtifact({ ...deps(), publicOrigin: 'https://control.example' })({ runId })
  }
  const sourced = async (application: Application) => {
    const run = await application.run()
    await new MockActivityEnvironment({ attempt: 1 }).run(fetchSource(deps()), { runId: run.id })
    return run
  }
  const built = async (files: Record<string, string>) => {
    const run = await sourced(await applicationOf(harness, owner, files))
    await deliver(run.id)
    return run
  }
  const artifactOf = async (id: number) =>
    harness.deps.store.tenant(org.id, async (tenant) => artifacts(tenant).find(id))

  test('delivered twice, it is one artifact and one end; another run of the commit has the same digest', async () => {
    const application = await applicationOf(harness, owner, {
      ...building(
        'echo from $CC_BRANCH; mkdir dist; cp main.js dist; printf "$FLAVOR" > dist/f',
        '',
      ),
      'main.js': '// hi\n',
    })
    const run = await sourced(application)
    await Promise.allSettled([deliver(run.id), deliver(run.id)])
    await deliver(run.id)
    const shown = await run.shown()
    expect(shown).toMatchObject({
      state: 'succeeded',
      reason: null,
      stages: [
        { name: 'source', state: 'succeeded' },
        { name: 'build', state: 'succeeded' },
        { name: 'deploy', state: 'succeeded', by: 'release' },
      ],
    })
    const first = await artifactOf(run.id)
    expect(first).toMatchObject({ digest: expect.stringMatching(/^sha256:/), entries: 2 })
    const lines = await run.lines('build')
    for (const once of ['Artifact ', 'Signed with the key ', 'There is no bill of materials: '])
      expect(
        lines.filter((line) => line.startsWith(once)),
        once,
      ).toHaveLength(1)
    expect(lines).toContain('from main')
    const { entries } = (await owner.get('/api/audit?limit=100')).json()
    const events = entries
      .filter(({ target }: AuditRow) => target?.kind === 'run' && target.id === run.id)
      .map(({ event }: { event: string }) => event)
    expect(events.toSorted()).toEqual(['pipeline.artifact_stored', 'pipeline.run_succeeded'])
    const again = await sourced(application)
    await deliver(again.id)
    const { digest, contentDigest, entries: count } = first ?? {}
    expect(await artifactOf(again.id)).toMatchObject({ digest, contentDigest, entries: count })
    const kept = await builds.artifacts.read(org.id, first?.digest ?? '')
    expect(kept?.sizeBytes).toBe(first?.sizeBytes)
    kept?.stream.destroy()
  })

  test('a step is alone: no token, no repository, no file of the host, no network', async () => {
    const { url } = harness.peer.server
    const run = await built(
      building(`mkdir dist; : > dist/x
env | sort
id -u
ls /root /home ${harness.config.dataDir} 2>&1 || true
touch /usr/x 2>&1 || true
git ls-remote ${url}/acme/app-1.git 2>&1 || echo no repository
cat .git/config`),
    )
    expect((await run.shown()).state, (await run.lines('build')).join('\n')).toBe('succeeded')
    const text = (await run.lines('build')).join('\n')
    for (const given of ['CC_COMMIT', 'CC_BRANCH', 'SOURCE_DATE_EPOCH'])
      expect(text).toContain(`\n${given}=`)
    expect(text).toContain('no repository')
    expect(text).toContain('\n1000\n')
    expect(text).toMatch(/Read-only file system|Permission denied/)
    expect(text).not.toMatch(/PROXY|KEYRING|DATABASE|Authorization|insteadOf/i)
  })

  test('network: the proxy alone, and none where the organization gives none', async () => {
    const files = building(
      `mkdir dist; : > dist/x
echo "proxy $HTTPS_PROXY"
for at in 169.254.169.254 127.0.0.1:1 10.0.0.1; do
  git ls-remote "http://$at/x.git" 2>&1 || echo "refused $at"
done`,
      'network: public',
    )
    const run = await built(files)
    const text = (await run.lines('build')).join('\n')
    expect(text).toContain('proxy http://127.0.0.1:')
    for (const at of ['169.254.169.254', '127.0.0.1:1', '10.0.0.1'])
      expect(text).toContain(`refused ${at}`)
    const other = await harness.organization()
    const admin = await other.user('Owner')
    expect((await admin.patch('/api/org/settings', { buildNetwork: 'none' })).statusCode).toBe(200)
    const refused = await sourced(await applicationOf(harness, admin, files))
    await deliver(refused.id)
    expect(await refused.shown()).toMatchObject({
      state: 'failed',
      reason: 'build_errored',
      endMessage: expect.stringContaining('the settings of this organization give builds none'),
      stages: [{ state: 'succeeded' }, { state: 'failed' }, { state: 'skipped' }],
    })
  })

  test.each([
    ['exit 7', 'The step "make" ended with code 7.'],
    ['mkdir dist', 'The artifact would be empty: its folder has no file that is chosen.'],
    ['true', 'The build left no folder dist to be released.'],
    ['ln -s /etc dist', "dist is a symbolic link; a run's own folders must be folders"],
    [
      'mkdir dist; ln -s ../../../etc dist/x',
      'The artifact has a link that leaves its folder: ./x',
    ],
    ['mkdir dist; mkfifo dist/x', 'The artifact has a device, pipe or socket: ./x'],
    ['yes $(printf %01000d 0)', 'The step "make" printed more than 32 MiB.'],
    ['cat /dev/zero > big', 'The step "make" was ended: it needs more disk than it has.'],
    ['while :; do :; done', 'The step "make" was ended: it took longer than the 4 s that it had.'],
  ])('bounded, and said with its step: %s', async (script, message) => {
    const slow = script.includes('while')
    const run = await built(building(script, slow ? 'timeout: 4s' : ''))
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'build_errored',
      endMessage: message,
    })
    // A page of the log has its first lines.
    if (!script.startsWith('yes')) expect((await run.lines('build')).at(-1)).toBe(message)
    expect(await artifactOf(run.id)).toBeUndefined()
  })

  test('a step that forks without end is ended, and nothing of it is left', async () => {
    const run = await built(building('f() { f | f & }; f; wait; sleep 30', 'timeout: 4s'))
    const { reason, endMessage } = await run.shown()
    expect([reason, endMessage]).toEqual([
      'build_errored',
      expect.stringMatching(/^The step "make" (?:was ended|ended with code|printed)/),
    ])
    expect((await built(building('mkdir dist; : > dist/x'))).id).toBeGreaterThan(run.id)
  })

  test('what the worker does not have is said before a step runs', async () => {
    for (const [more, words] of [
      ['memory: 64GiB', 'asks for 64GiB of memory, and a step may have 256 MiB here'],
      [
        'secrets: [NPM_TOKEN]',
        'names the secret NPM_TOKEN, and the pipeline has no sensitive build variable',
      ],
    ] as const) {
      const run = await built(building('echo ran; mkdir dist', more))
      expect((await run.shown()).endMessage).toContain(words)
      expect(await run.lines('build')).not.toContain('ran')
    }
  })

  test('a hook that the artifact lacks ends the build; without steps the source is released, without .git', async () => {
    const hooked = manifestWith('artifact:\n  path: .')
    const executable = manifestWith(
      'steps: [{ name: make, run: chmod +x hooks/* }]\nartifact:\n  path: .',
    )
    const name = '.cloud-control/pipeline.yml'
    const lacking = await built({
      [name]: `${hooked[name]}deploy:\n  hooks: { health: hooks/health }\n`,
    })
    expect((await lacking.shown()).endMessage).toBe(
      'The artifact has no file hooks/health, the hook "health".',
    )
    const whole = await built({
      [name]: `${executable[name]}deploy:\n  hooks: { health: hooks/health, activate: hooks/large }\n`,
      'hooks/health': '#!/bin/sh\ntrue\n',
      'hooks/large': 'x'.repeat(100_000),
    })
    const noted = await harness.deps.store.tenant(owner.organizationId, async (tenant) =>
      releaseHooks(tenant).of(whole.id),
    )
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(noted.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'activate', path: 'hooks/large', sha256: hashOf('x'.repeat(100_000)), text: null },
      {
        name: 'health',
        path: 'hooks/health',
        sha256: hashOf('#!/bin/sh\ntrue\n'),
        text: '#!/bin/sh\ntrue\n',
      },
    ])
    const plain = await built({ ...hooked, a: 'a', 'b/c': 'c' })
    // The manifest and the owner's mark in their folder, a, b and b/c.
    expect((await artifactOf(plain.id))?.entries).toBe(6)
  })

  test('links out of the tree of a repository read nothing of the host', async () => {
    const application = await applicationOf(harness, owner, building('cat link/passwd; mkdir dist'))
    linkIn(application.repo, { link: harness.config.dataDir })
    const run = await sourced(application)
    await deliver(run.id)
    expect((await run.shown()).endMessage).toBe('The step "make" ended with code 1.')
    linkIn(application.repo, { '.cloud-control/pipeline.yml': '/etc/passwd' })
    const planted = await sourced(application)
    expect(await planted.shown()).toMatchObject({
      reason: 'source_errored',
      endMessage: expect.stringContaining('.cloud-control/pipeline.yml is a symbolic link'),
    })
  })
  /** Adds symbolic links to the head of `main`. */
  const linkIn = (repo: string, links: Record<string, string>) => {
    const entries = Object.entries(links).map(
      ([name, to]) => `M 120000 inline ${name}\ndata ${to.length}\n${to}\n`,
    )
    execFileSync('git', ['--git-dir', harness.peer.path?.(repo) ?? '', 'fast-import', '--quiet'], {
      input: `commit refs/heads/main\ncommitter A <a@x.example> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\n${entries.join('')}`,
    })
  }

  test('404 for another organization: neither the run nor the bytes', async () => {
    const run = await built(building('mkdir dist; echo ours > dist/x'))
    const stranger = await harness.organization()
    const artifact = await artifactOf(run.id)
    expect(
      await harness.deps.store.tenant(stranger.id, async (tenant) =>
        artifacts(tenant).find(run.id),
      ),
    ).toBeUndefined()
    expect(await builds.artifacts.read(stranger.id, artifact?.digest ?? '')).toBeUndefined()
    expect((await (await stranger.user('Owner')).get(run.url)).statusCode).toBe(404)
  })
})

type AuditRow = { target: { kind: string; id: number } | null }
