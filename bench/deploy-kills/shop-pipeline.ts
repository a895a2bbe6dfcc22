import { setTimeout as sleep } from 'node:timers/promises'
import { manifestWith } from '../../test/harness/git/application-of.ts'
import type { GitPeer } from '../../test/harness/git/git-peer.ts'
import type { CallApi } from '../call-api.ts'
import type { Platform } from '../start-platform.ts'

export const linesOfHook = 20
/** What the hook `install` writes into the release beside the page, so that half of a release is seen. */
export const secondPage = 'second-page'

/** Those of the manifest, each without a person who confirms. */
export const strategies = ['by-three', 'canary', 'blue-green', 'all-at-once'] as const
export type Strategy = (typeof strategies)[number]

export type EndedRun = {
  id: number
  state: string
  reason: string | null
  message: string | null
  endedAtMs: number
  tookMs: number
}
export type StartedRun = { id: number; ended(): Promise<EndedRun> }
export type HostOfRun = { agent: { name: string }; state: string }

export type ShopPipeline = {
  workspaceId: number
  /** Pushes a page with this word, and starts a run of it. */
  deploy(word: string, strategy: Strategy): Promise<StartedRun>
  /** Starts the way back to what an earlier run deployed. */
  rollBackTo(runId: number): Promise<StartedRun>
  hostsOf(runId: number): Promise<HostOfRun[]>
  /** All lines of the stage `deploy`. */
  linesOf(runId: number): Promise<string[]>
  /** Repeats a call until the API answers it, since it may be dead for a moment. */
  call: CallApi
}

/** Each hook notes its begin and its end beside the agent's folder of releases, with the time, and prints lines. */
const hookText = (name: string) => `#!/bin/sh
trace="$(dirname "$(dirname "$CC_RELEASE_PATH")")/trace"
note() { echo "$(date +%s%3N) $1 $CC_PHASE $CC_RUN_ID" >> "$trace"; }
note begin
n=0
while [ $n -lt ${linesOfHook} ]; do
  echo "line $CC_PHASE $CC_RUN_ID $(basename "$(dirname "$trace")") $n"
  n=$((n + 1))
  sleep 0.01
done
${name === 'install' ? `cp page ${secondPage}` : `cmp -s page ${secondPage} || exit 9`}
note end
`

const hooks = ['install', 'activate', 'health'] as const

const build = manifestWith(`steps:
  - name: make
    run: |
      mkdir -p dist; cp -r hooks page dist; chmod 755 dist/hooks/*
artifact:
  path: dist`)
const manifestPath = '.cloud-control/pipeline.yml'
const files = {
  ...Object.fromEntries(hooks.map((name) => [`hooks/${name}`, hookText(name)])),
  page: 'none\n',
}
const deployText = `deploy:
  strategy: by-three
  strategies:
    by-three: { kind: rolling, batch: 3 }
    canary: { kind: canary, steps: [10, 50, 100], confirm: none }
  hooks: { ${hooks.map((name) => `${name}: hooks/${name}`).join(', ')} }
`
const repository = 'acme/shop'
/** Beyond every limit, so that a run that never ends is named and does not stop the bench for long. */
const patienceMs = 240_000

/** A pipeline of an application that is built from a repository and deployed to the agents of a new workspace. */
export async function openPipeline(platform: Platform, peer: GitPeer): Promise<ShopPipeline> {
  const call = patient(platform.call)
  const { workspaceId, pipelineId } = await makePipeline(call, peer)
  const runs = `/pipelines/${pipelineId}/runs`
  const started = (runId: number): StartedRun => {
    const startedAt = Date.now()
    return { id: runId, ended: async () => endOf(call, `${runs}/${runId}`, startedAt) }
  }
  return {
    workspaceId,
    call,
    async deploy(word, strategy) {
      await peer.edit(repository, { write: { page: `${word}\n` } })
      return started(await made(call, `/pipelines/${pipelineId}/run`, { strategy }))
    },
    rollBackTo: async (runId) => started(await made(call, `${runs}/${runId}/rollback`, {})),
    async hostsOf(runId) {
      return (await call('GET', `${runs}/${runId}/hosts`)).body['hosts'] as HostOfRun[]
    },
    async linesOf(runId) {
      const found: string[] = []
      for (let after = 0; ;) {
        const path = `${runs}/${runId}/logs?stage=deploy&limit=10000&after=${after}`
        const { body } = await call('GET', path)
        const lines = body['lines'] as Array<{ line: string }>
        if (lines.length === 0) return found
        found.push(...lines.map(({ line }) => line))
        after = Number(body['nextSeq'])
      }
    },
  }
}

async function makePipeline(
  call: CallApi,
  peer: GitPeer,
): Promise<{ workspaceId: number; pipelineId: number }> {
  await peer.createRepository(repository, {
    ...files,
    [manifestPath]: `${build[manifestPath]}${deployText}`,
  })
  const workspaceId = await made(call, '/workspaces', { name: 'hosts' })
  const connectionId = await made(call, '/git/connections', {
    provider: peer.provider,
    host: peer.server.url,
    token: peer.token(),
    repo: repository,
    repoType: 'application',
  })
  const pipelineId = await made(call, '/pipelines', {
    name: 'shop',
    appGitConnectionId: connectionId,
    appRepo: repository,
    targetWorkspaceId: workspaceId,
  })
  return { workspaceId, pipelineId }
}

/** The id of the one thing that an answer has. */
async function made(call: CallApi, path: string, body: object): Promise<number> {
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

/** Only of calls that may be sent twice or that no kill is beside. */
const patient =
  (call: CallApi): CallApi =>
  async (method, path, body) => {
    for (const until = Date.now() + 60_000; ; await sleep(200)) {
      try {
        return await call(method, path, body)
      } catch (error) {
        const isAnswer = error instanceof Error && /: 4\d\d /.test(error.message)
        if (isAnswer || method !== 'GET' || Date.now() > until) throw error
      }
    }
  }
