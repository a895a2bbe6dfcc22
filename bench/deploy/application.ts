import { setTimeout as sleep } from 'node:timers/promises'
import type { GitPeer } from '../../test/harness/git/git-peer.ts'
import type { CallApi } from '../call-api.ts'

export type Stage = {
  name: string
  state: string
  startedAt: string | null
  endedAt: string | null
}
export type EndedRun = {
  id: number
  state: string
  reason: string | null
  endMessage: string | null
  stages: Stage[]
  endedAtMs: number
  tookMs: number
}
export type StartedRun = { id: number; ended(): Promise<EndedRun> }

/** An application pipeline and its repository. */
export type Application = {
  pipelineId: number
  /** Address of its runs, without the API's. */
  runs: string
  push: (files: Record<string, string>) => Promise<void>
  start: (body?: object) => Promise<StartedRun>
  /** Starts the way back to what an earlier run deployed. */
  rollBackTo: (runId: number) => Promise<StartedRun>
}

/** Beyond every limit, so that a run that never ends is named and does not stop the bench for long. */
const patienceMs = 240_000

/** Connects a new repository with these files. A pipeline with a workspace deploys to its agents. */
export async function openApplication(
  { call, peer }: { call: CallApi; peer: GitPeer },
  {
    repository,
    files,
    workspaceId,
    triggers,
  }: {
    repository: string
    files: Record<string, string>
    workspaceId?: number
    triggers?: { push: boolean }
  },
): Promise<Application> {
  await peer.createRepository(repository, files)
  const connectionId = await made(call, '/git/connections', {
    provider: peer.provider,
    host: peer.server.url,
    token: peer.token(),
    repo: repository,
    repoType: 'application',
  })
  const pipelineId = await made(call, '/pipelines', {
    name: repository.replace('/', '-'),
    appGitConnectionId: connectionId,
    appRepo: repository,
    ...(workspaceId !== undefined && { targetWorkspaceId: workspaceId }),
    ...(triggers && { triggers }),
  })
  const runs = `/pipelines/${pipelineId}/runs`
  const started = (id: number): StartedRun => {
    const startedAt = Date.now()
    return { id, ended: async () => endOf(call, `${runs}/${id}`, startedAt) }
  }
  return {
    pipelineId,
    runs,
    push: async (write) => peer.edit(repository, { write }),
    start: async (body = {}) => started(await made(call, `/pipelines/${pipelineId}/run`, body)),
    rollBackTo: async (runId) => started(await made(call, `${runs}/${runId}/rollback`, {})),
  }
}

/** The id of the one thing that an answer has. */
export async function made(call: CallApi, path: string, body: object): Promise<number> {
  const answer = await call('POST', path, body)
  const things = Object.values(answer.body) as Array<{ id?: number } | boolean>
  for (const thing of things) if (typeof thing === 'object' && thing.id) return thing.id
  throw new Error(`POST ${path} made nothing: ${JSON.stringify(answer.body)}`)
}

async function endOf(call: CallApi, path: string, startedAt: number): Promise<EndedRun> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(100)) {
    const { run } = (await call('GET', path)).body as { run: EndedRun & { endedAt: string | null } }
    if (run.state === 'running' || run.endedAt === null) continue
    const endedAtMs = Date.parse(run.endedAt)
    return { ...run, endedAtMs, tookMs: endedAtMs - startedAt }
  }
  throw new Error(`${path} does not end`)
}

/** The end of a run that must succeed. */
export async function succeeded(run: StartedRun): Promise<EndedRun> {
  const ended = await run.ended()
  if (ended.state !== 'succeeded')
    throw new Error(`run ${run.id} ended ${ended.state}: ${ended.endMessage}`)
  return ended
}

/** How long a stage took, in ms. */
export function stageMs({ stages }: EndedRun, name: string): number {
  const stage = stages.find((one) => one.name === name)
  if (!stage?.startedAt || !stage.endedAt) throw new Error(`the stage ${name} did not run`)
  return Date.parse(stage.endedAt) - Date.parse(stage.startedAt)
}
