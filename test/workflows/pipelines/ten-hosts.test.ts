import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, why } from '../../gateways/sandbox/shell-sandbox.ts'
import {
  deployingPipeline,
  type DeployingPipeline,
} from '../../harness/agents/deploying-pipeline.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const secret = 'the-password-of-ten-hosts'
// The page `bad` cannot be switched to on host c, which is in the second step of the canary.
const steps = `mkdir -p dist/hooks; cp page dist/page
for hook in install activate health; do
  printf '#!/bin/sh\\nhost=$(basename "$(dirname "$(dirname "$CC_RELEASE_PATH")")")\\necho "$CC_PHASE of $(cat page) on $host with $SHOP_PASSWORD"\\n[ "$CC_PHASE $(cat page) $host" != "activate bad c" ]\\n' > dist/hooks/$hook
  chmod 755 dist/hooks/$hook
done`
const deploy = `deploy:
  strategy: canary
  strategies: { canary: { kind: canary, steps: [10, 50, 100], confirm: none } }
  hooks: { install: hooks/install, activate: hooks/activate, health: hooks/health }
`

// Everything is real, and asked over HTTP: the Git host's clone, the sandbox, the workflow, and ten agents as processes.
describe.skipIf(!hasBwrap)(`ten hosts (${why})`, () => {
  let harness: GitHarness
  let world: DeployingPipeline
  let first: ApplicationRunOfTest
  const pages = () => world.pages(names)
  const all = (page: string) => names.map(() => page)
  const endOf = async (run: ApplicationRunOfTest) => {
    const shown = await world.ended(run)
    const lines = (await run.lines('deploy')).join('\n')
    expect(lines).not.toContain(secret)
    return { shown, lines, said: `${lines}\n${world.said()}` }
  }

  beforeAll(async () => {
    // The harness searches logs, histories, the database and audit entries for the password when it is closed.
    harness = await gitHarness(peerMakers.gitlabPeer)
    world = await deployingPipeline(harness, { steps, deploy })
    await world.setPassword(secret)
    for (const host of names) await world.addAgent(host)
  }, 240_000)
  afterAll(async () => {
    await world?.close()
    await harness?.close()
  })

  test('a canary in three steps reaches all', async () => {
    first = await world.started()
    const { shown, said } = await endOf(first)
    expect(shown, said).toMatchObject({
      state: 'succeeded',
      deployment: { strategy: 'canary', batches: 3, hosts: { total: 10, healthy: 10 } },
    })
    expect(pages()).toEqual(all('one'))
  })

  test('a canary that fails goes back by itself, and the hosts after it are not told', async () => {
    await world.change({ page: 'bad\n' })
    const run = await world.started()
    const { shown, lines, said } = await endOf(run)
    expect(shown, said).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      deployment: { hosts: { total: 10, healthy: 0, failed: 1 } },
    })
    expect(pages()).toEqual(all('one'))
    const told = new Set([...lines.matchAll(/^install of bad on (\w)/gm)].map(([, host]) => host))
    expect(told).toEqual(new Set(['a', 'b', 'c', 'd', 'e']))
  })

  test('back by hand, to what an earlier run deployed', async () => {
    await world.change({ page: 'two\n' })
    const second = await world.started({ strategy: 'all-at-once' })
    const there = await endOf(second)
    expect(there.shown, there.said).toMatchObject({ state: 'succeeded' })
    expect(pages()).toEqual(all('two'))

    const { run } = await world.made(`${first.url}/rollback`, { comment: 'two is slow' })
    const { shown, said } = await endOf(runAt(world.owner, world.pipelineId, run.id))
    expect(shown, said).toMatchObject({
      state: 'succeeded',
      rollbackOf: first.id,
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { name: 'deploy', state: 'succeeded' }],
    })
    expect(pages()).toEqual(all('one'))
  })

  test('what another pipeline built is promoted to them: the same bytes, without a build', async () => {
    const { appGitConnectionId } = (
      await world.owner.get(`/api/pipelines/${world.pipelineId}`)
    ).json().pipeline
    const { pipeline } = await world.made('/api/pipelines', {
      name: 'shop-builds',
      appGitConnectionId,
      appRepo: 'acme/shop',
    })
    await world.change({ page: 'three\n' })
    const built = await world.made(`/api/pipelines/${pipeline.id}/run`, {})
    const from = await endOf(runAt(world.owner, pipeline.id, built.run.id))
    expect(from.shown, from.said).toMatchObject({ state: 'succeeded', artifact: { signed: true } })

    const promoted = await world.started({ artifactOf: built.run.id })
    const { shown, said } = await endOf(promoted)
    expect(shown, said).toMatchObject({
      state: 'succeeded',
      trigger: { kind: 'promotion', id: built.run.id },
      artifact: { digest: from.shown.artifact?.digest },
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { name: 'deploy', state: 'succeeded' }],
      deployment: { hosts: { total: 10, healthy: 10 } },
    })
    expect(pages()).toEqual(all('three'))
  })
})
