import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { building, runAt, type ApplicationRunOfTest, type ShownRun } from '../git/application-of.ts'
import { eventually, type GitHarness } from '../git/git-harness.ts'
import { installAgent, type AgentProcess } from './start-agent.ts'

const manifest = '.cloud-control/pipeline.yml'

export type DeployingPipeline = Awaited<ReturnType<typeof deployingPipeline>>

/**
 * A pipeline that builds a repository and deploys it to agents that are processes. `steps` fill the folder `dist`, and
 * `deploy` is that part of the manifest.
 */
export async function deployingPipeline(
  harness: GitHarness,
  { steps, deploy }: { steps: string; deploy: string },
) {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspaceId = (await org.workspace({ by: owner })).id
  const folder = mkdtempSync(join(tmpdir(), 'cc-agents-'))
  const agents: AgentProcess[] = []
  const said = () => agents.map((agent) => agent.said()).join('\n')
  const made = async (url: string, body: object) => {
    const answer = await owner.post(url, body)
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json()
  }
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
  const pipelineId: number = pipeline.id
  const online = async () => {
    const found = (await owner.get(`/api/agents?workspaceId=${workspaceId}`)).json().agents
    return found.filter(({ state }: { state: string }) => state === 'online').length
  }
  return {
    owner,
    pipelineId,
    /** Each agent's folder has its name here. */
    folder,
    said,
    made,
    /** The page that each of these hosts has. */
    pages: (hosts: readonly string[]): string[] =>
      hosts.map((host) => readFileSync(join(folder, host, 'current/page'), 'utf8').trim()),
    /** A sensitive variable that the hooks get as `SHOP_PASSWORD`. */
    setPassword: async (value: string): Promise<void> =>
      made(`/api/pipelines/${pipelineId}/variables`, {
        key: 'SHOP_PASSWORD',
        value,
        phase: 'deploy',
        sensitive: true,
      }),
    /** Pushes other files. */
    change: async (write: Record<string, string>) => harness.peer.edit('acme/shop', { write }),
    /** By the command that the answer tells a person to run. */
    async addAgent(name: string): Promise<void> {
      const { install } = await made('/api/agents', { name, workspaceId })
      const dir = join(folder, name)
      agents.push(installAgent(install, { url: harness.config.baseUrl, dir }))
      const want = agents.length
      await eventually(async () => (await online()) === want).catch(() => {
        throw new Error(`the agent is not online: ${said()}`)
      })
    },
    started: async (body: object = {}): Promise<ApplicationRunOfTest> =>
      runAt(owner, pipelineId, (await made(`/api/pipelines/${pipelineId}/run`, body)).run.id),
    ended: async (run: ApplicationRunOfTest): Promise<ShownRun> =>
      eventually(
        async () => {
          const shown = await run.shown()
          return shown.state !== 'running' && shown
        },
        { looks: 1_200 },
      ),
    async close(): Promise<void> {
      await Promise.all(agents.map(async (agent) => agent.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
