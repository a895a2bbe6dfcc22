import { setTimeout as sleep } from 'node:timers/promises'
import { manifestWith } from '../../test/harness/git/application-of.ts'
import type { GitPeer } from '../../test/harness/git/git-peer.ts'
import type { CallApi } from '../call-api.ts'
import { made, openApplication, type StartedRun } from '../deploy/application.ts'
import type { Platform } from '../start-platform.ts'

export const linesOfHook = 20
/** What the hook `install` writes into the release beside the page, so that half of a release is seen. */
export const secondPage = 'second-page'

/** Those of the manifest, each without a person who confirms. */
export const strategies = ['by-three', 'canary', 'blue-green', 'all-at-once'] as const
export type Strategy = (typeof strategies)[number]

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

/** A pipeline of an application that is built from a repository and deployed to the agents of a new workspace. */
export async function openPipeline(platform: Platform, peer: GitPeer): Promise<ShopPipeline> {
  const call = patient(platform.call)
  const workspaceId = await made(call, '/workspaces', { name: 'hosts' })
  const { push, start, rollBackTo, runs } = await openApplication(
    { call, peer },
    {
      repository: 'acme/shop',
      files: { ...files, [manifestPath]: `${build[manifestPath]}${deployText}` },
      workspaceId,
    },
  )
  return {
    workspaceId,
    call,
    async deploy(word, strategy) {
      await push({ page: `${word}\n` })
      return start({ strategy })
    },
    rollBackTo,
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

/** Only of calls that may be sent twice, that started nothing or that no kill is beside. */
const patient =
  (call: CallApi): CallApi =>
  async (method, path, body) => {
    for (const until = Date.now() + 60_000; ; await sleep(200)) {
      try {
        return await call(method, path, body)
      } catch (error) {
        const message = error instanceof Error ? error.message : ''
        const mayRepeat = method === 'GET' || message.includes('"engine_unavailable"')
        if (/: 4\d\d /.test(message) || !mayRepeat || Date.now() > until) throw error
      }
    }
  }
