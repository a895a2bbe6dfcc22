import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, why } from '../../gateways/sandbox/shell-sandbox.ts'
import { startAgent, type AgentProcess } from '../../harness/agents/start-agent.ts'
import { building, runAt, type ApplicationRunOfTest } from '../../harness/git/application-of.ts'
import {
  eventually,
  gitHarness,
  peerMakers,
  type GitHarness,
} from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

const manifest = '.cloud-control/pipeline.yml'
const secret = 'the-password-of-the-shop'
const steps = `mkdir -p dist/hooks; cp page dist/page
for hook in install activate health; do
  printf '#!/bin/sh\\necho "$CC_PHASE of $CC_RUN_ID on $CC_WORKSPACE with $SHOP_PASSWORD"\\n' > dist/hooks/$hook
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
  let org: TestOrganization
  let owner: TestUser
  let workspaceId: number
  let pipelineId: number
  const folder = mkdtempSync(join(tmpdir(), 'cc-agents-'))
  const agents: AgentProcess[] = []
  const pageOf = (host: string) => readFileSync(join(folder, host, 'current/page'), 'utf8').trim()
  const said = () => agents.map((agent) => agent.said()).join('\n')

  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer)
    org = await harness.organization()
    owner = await org.user('Owner')
    workspaceId = (await org.workspace({ by: owner })).id
    const files = building(steps)
    await harness.peer.createRepository('acme/shop', {
      [manifest]: `${files[manifest]}${deploy}`,
      page: 'one\n',
    })
    const { connection } = await made('/api/git/connections', {
      ...harness.body('acme/shop', { repoType: 'application' }),
    })
    const { pipeline } = await made('/api/pipelines', {
      name: 'shop',
      appGitConnectionId: connection.id,
      appRepo: 'acme/shop',
      targetWorkspaceId: workspaceId,
    })
    pipelineId = pipeline.id
    await made(`/api/pipelines/${pipelineId}/variables`, {
      key: 'SHOP_PASSWORD',
      value: secret,
      phase: 'deploy',
      sensitive: true,
    })
    for (const host of ['a', 'b']) await addAgent(host)
  })
  afterAll(async () => {
    await Promise.all(agents.map(async (agent) => agent.stop()))
    rmSync(folder, { recursive: true, force: true })
    await harness?.close()
  })

  const change = async (page: string) => harness.peer.edit('acme/shop', { write: { page } })
  const made = async (url: string, body: object) => {
    const answer = await owner.post(url, body)
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json()
  }
  const online = async () => {
    const found = (await owner.get(`/api/agents?workspaceId=${workspaceId}`)).json().agents
    return found.filter(({ state }: { state: string }) => state === 'online').length
  }
  /** By the command that the answer tells a person to run. */
  const addAgent = async (name: string) => {
    const { install } = await made('/api/agents', { name, workspaceId })
    const told = (setting: string): string =>
      new RegExp(`${setting}=(\\S+)`).exec(install)?.[1] ?? ''
    agents.push(
      startAgent({
        url: harness.config.baseUrl ?? '',
        token: told('CC_AGENT_TOKEN'),
        keyId: told('CC_AGENT_KEY'),
        dir: join(folder, name),
      }),
    )
    const want = agents.length
    await eventually(async () => (await online()) === want).catch(() => {
      throw new Error(`the agent is not online: ${said()}`)
    })
  }
  const ended = async (run: ApplicationRunOfTest) =>
    eventually(
      async () => {
        const shown = await run.shown()
        return shown.state !== 'running' && shown
      },
      { looks: 1_200 },
    )
  const started = async (body: object = {}) =>
    runAt(owner, pipelineId, (await made(`/api/pipelines/${pipelineId}/run`, body)).run.id)
  const assertDeployed = async (run: ApplicationRunOfTest, page: string) => {
    const shown = await ended(run)
    const lines = await run.lines('deploy')
    expect(shown, `${lines.join('\n')}\n${said()}`).toMatchObject({
      state: 'succeeded',
      artifact: { signed: true },
      deployment: { strategy: 'rolling', batches: 2, hosts: { total: 2, healthy: 2 } },
    })
    expect(['a', 'b'].map(pageOf)).toEqual([page, page])
    return lines
  }

  test('one run to two hosts, another one, and back by hand', async () => {
    const first = await started()
    const lines = await assertDeployed(first, 'one')
    expect(lines.filter((line) => line.startsWith('install of'))).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('health of'))).toHaveLength(2)
    expect(lines.join('\n')).not.toContain(secret)

    await change('two\n')
    const second = await started()
    await assertDeployed(second, 'two')

    const { run } = await made(`${first.url}/rollback`, { comment: 'two is slow' })
    const back = runAt(owner, pipelineId, run.id)
    await assertDeployed(back, 'one')
    expect(await back.shown()).toMatchObject({
      trigger: { kind: 'rollback', id: first.id },
      rollbackOf: first.id,
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { name: 'deploy', state: 'succeeded' }],
    })
    const hosts = (await owner.get(`${back.url}/hosts`)).json().hosts
    expect(hosts.map(({ state }: { state: string }) => state)).toEqual(['healthy', 'healthy'])
  })

  test('a release whose signature was changed is not sent to hosts, which keep theirs', async () => {
    const before = pageOf('a')
    const { appGitConnectionId } = (await owner.get(`/api/pipelines/${pipelineId}`)).json().pipeline
    const { pipeline } = await made('/api/pipelines', {
      name: 'shop-builds',
      appGitConnectionId,
      appRepo: 'acme/shop',
    })
    await change('three\n')
    const { run } = await made(`/api/pipelines/${pipeline.id}/run`, {})
    expect(await ended(runAt(owner, pipeline.id, run.id))).toMatchObject({ state: 'succeeded' })
    const { platform } = harness.deps.store
    await platform('artifacts')
      .where({ pipelineRunId: run.id })
      .update({
        provenance: platform.raw(
          `jsonb_set(provenance, '{dsseEnvelope,signatures,0,sig}', to_jsonb(?::text))`,
          [Buffer.from('a signature of somebody else').toString('base64')],
        ),
      })
    const promoted = await started({ artifactOf: run.id })
    expect(await ended(promoted), said()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      message: expect.stringContaining('is not what was signed after its build'),
      trigger: { kind: 'promotion', id: run.id },
      stages: [{ state: 'skipped' }, { state: 'skipped' }, { state: 'failed' }],
    })
    expect(['a', 'b'].map(pageOf)).toEqual([before, before])
  })
})
