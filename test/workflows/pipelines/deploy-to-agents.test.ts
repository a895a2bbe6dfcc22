import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, why } from '../../gateways/sandbox/shell-sandbox.ts'
import {
  deployingPipeline,
  type DeployingPipeline,
} from '../../harness/agents/deploying-pipeline.ts'
import { runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

const secret = 'the-password-of-the-shop'
const steps = `mkdir -p dist/hooks; cp page dist/page
for hook in install activate health; do
  printf '#!/bin/sh\\nif [ "$CC_PHASE $(cat page) $(basename "$(dirname "$(dirname "$CC_RELEASE_PATH")")")" = "activate bad b" ]; then exit 3; fi\\necho "$CC_PHASE of $CC_RUN_ID on $CC_WORKSPACE with $SHOP_PASSWORD"\\n' > dist/hooks/$hook
  chmod 755 dist/hooks/$hook
done`
const deploy = `deploy:
  strategy: one-by-one
  strategies: { one-by-one: { kind: rolling, batch: 1 } }
  hooks: { install: hooks/install, activate: hooks/activate, health: hooks/health }
`

// Everything is real: the Git host's clone, the sandbox, the workflow, the signature, and two agents.
describe.skipIf(!hasBwrap)(`a deployment to agents (${why})`, () => {
  let harness: GitHarness
  let world: DeployingPipeline
  const pages = () => world.pages(['a', 'b'])

  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer)
    world = await deployingPipeline(harness, { steps, deploy })
    await world.setPassword(secret)
    for (const host of ['a', 'b']) await world.addAgent(host)
  })
  afterAll(async () => {
    await world?.close()
    await harness?.close()
  })

  const assertDeployed = async (run: ApplicationRunOfTest, page: string) => {
    const shown = await world.ended(run)
    const lines = await run.lines('deploy')
    expect(shown, `${lines.join('\n')}\n${world.said()}`).toMatchObject({
      state: 'succeeded',
      artifact: { signed: true },
      deployment: { strategy: 'rolling', batches: 2, hosts: { total: 2, healthy: 2 } },
    })
    expect(pages()).toEqual([page, page])
    return lines
  }

  test('one run to two hosts, another one, and back by hand', async () => {
    const first = await world.started()
    const lines = await assertDeployed(first, 'one')
    expect(lines.filter((line) => line.startsWith('install of'))).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('health of'))).toHaveLength(2)
    expect(lines.join('\n')).not.toContain(secret)

    await world.change({ page: 'two\n' })
    const second = await world.started()
    await assertDeployed(second, 'two')

    const { run } = await world.made(`${first.url}/rollback`, { comment: 'two is slow' })
    const back = runAt(world.owner, world.pipelineId, run.id)
    await assertDeployed(back, 'one')
    expect(await back.shown()).toMatchObject({
      trigger: { kind: 'rollback', id: first.id },
      rollbackOf: first.id,
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { name: 'deploy', state: 'succeeded' }],
    })
    const hosts = (await world.owner.get(`${back.url}/hosts`)).json().hosts
    expect(hosts.map(({ state }: { state: string }) => state)).toEqual(['healthy', 'healthy'])
  })

  // From the third on, hosts keep more releases than the manifest says: each of before is kept for an hour.
  test('blue-green, three times: all hosts install, then all switch', async () => {
    for (const page of ['green', 'blue', 'green again']) {
      await world.change({ page: `${page}\n` })
      const run = await world.started({ strategy: 'blue-green' })
      const shown = await world.ended(run)
      const lines = (await run.lines('deploy')).join('\n')
      expect(shown, `${lines}\n${world.said()}`).toMatchObject({
        state: 'succeeded',
        deployment: { strategy: 'blue-green', hosts: { total: 2, healthy: 2 } },
      })
      expect(pages()).toEqual([page, page])
      expect(lines.match(/^activate of/gm)).toHaveLength(2)
    }
  })

  test('a host that fails brings back the one that was healthy before it', async () => {
    const [before] = pages()
    await world.change({ page: 'bad\n' })
    const run = await world.started()
    const shown = await world.ended(run)
    const lines = (await run.lines('deploy')).join('\n')
    expect(shown, `${lines}\n${world.said()}`).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      deployment: { hosts: { total: 2, failed: 1, rolledBack: 1 } },
    })
    expect(shown.warnings ?? []).not.toContain('mixed_releases')
    expect(pages()).toEqual([before, before])
    const hosts = (await world.owner.get(`${run.url}/hosts`)).json().hosts
    expect(hosts.map(({ state }: { state: string }) => state)).toEqual(['rolled_back', 'failed'])
  })

  test('a release whose signature was changed is not sent to hosts, which keep theirs', async () => {
    const [before] = pages()
    const { appGitConnectionId } = (
      await world.owner.get(`/api/pipelines/${world.pipelineId}`)
    ).json().pipeline
    const { pipeline } = await world.made('/api/pipelines', {
      name: 'shop-builds',
      appGitConnectionId,
      appRepo: 'acme/shop',
    })
    await world.change({ page: 'three\n' })
    const { run } = await world.made(`/api/pipelines/${pipeline.id}/run`, {})
    expect(await world.ended(runAt(world.owner, pipeline.id, run.id))).toMatchObject({
      state: 'succeeded',
    })
    const { platform } = harness.deps.store
    await platform('artifacts')
      .where({ pipelineRunId: run.id })
      .update({
        provenance: platform.raw(
          `jsonb_set(provenance, '{dsseEnvelope,signatures,0,sig}', to_jsonb(?::text))`,
          [Buffer.from('a signature of somebody else').toString('base64')],
        ),
      })
    const promoted = await world.started({ artifactOf: run.id })
    expect(await world.ended(promoted), world.said()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      endMessage: expect.stringContaining('is not what was signed after its build'),
      trigger: { kind: 'promotion', id: run.id },
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { state: 'failed' }],
    })
    expect(pages()).toEqual([before, before])
  })
})
