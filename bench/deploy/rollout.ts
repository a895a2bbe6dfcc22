import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installAgent, type AgentProcess } from '../../test/harness/agents/start-agent.ts'
import { manifestWith } from '../../test/harness/git/application-of.ts'
import { benchConfig } from '../config.ts'
import { atMost, median, type Held } from '../figures.ts'
import { made, openApplication, stageMs, succeeded, type Application } from './application.ts'
import { followLog } from './follow-log.ts'
import type { World } from './world.ts'

const rounds = benchConfig.rounds(5)
const hosts = Math.max(4, Math.round(50 * benchConfig.scale))
const batch = Math.ceil(hosts / 5)
const hookSeconds = 5

/** The limits of docs/decisions/0218-what-a-deployment-costs.md. */
const mayBe = { ofHooks: 2 }

/** 50 agents as processes: each batch and all at once, beside a shell that does the same on the same hosts. */
export async function rollout(world: World): Promise<Held[]> {
  const { platform, peer, folder } = world
  const workspaceId = await made(platform.call, '/workspaces', { name: 'hosts' })
  const application = await openApplication(
    { call: platform.call, peer },
    { repository: 'acme/fleet', files, workspaceId },
  )
  const agents: AgentProcess[] = []
  try {
    for (let at = 1; at <= hosts; at += 1) {
      const body = { name: `host-${at}`, workspaceId }
      const answer = await platform.call('POST', '/agents', body)
      const url = platform.address.replace(/\/api$/, '')
      const dir = join(folder, `host-${at}`)
      agents.push(installAgent(String(answer.body['install']), { url, dir }))
    }
    await untilOnline(world, workspaceId)
    return await measure(world, application)
  } finally {
    await Promise.all(agents.map(async (agent) => agent.stop()))
  }
}

async function measure({ platform, folder }: World, application: Application): Promise<Held[]> {
  const batches: number[] = []
  const byItself: number[] = []
  const byHand: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await application.push({ page: `good ${round}`, failing: 'none' })
    const good = await succeeded(await application.start({ strategy: byBatch }))
    batches.push(stageMs(good, 'deploy'))
    // Of the last batch, so that all others have the new release by then.
    await application.push({ page: `bad ${round}`, failing: `host-${hosts}` })
    const bad = await application.start({ strategy: byBatch })
    let from = Number.NaN
    const log = { runs: application.runs, runId: bad.id, stage: 'deploy' }
    for await (const { line, atMs } of followLog(platform, log))
      if (line.startsWith('Going back: ')) from = atMs
    const { state, endedAtMs } = await bad.ended()
    if (state !== 'failed') throw new Error(`a deployment that must fail ended ${state}`)
    byItself.push(endedAtMs - from)
    byHand.push((await succeeded(await application.rollBackTo(good.id))).tookMs)
    bare.push(await shellLoop(folder))
  }
  const hookMs = hookSeconds * 1_000
  const back = (what: string, times: readonly number[]) =>
    atMost(
      `${hosts} agents back ${what}, times hook time (${median(times).toFixed(0)} ms)`,
      [median(times) / hookMs, mayBe.ofHooks],
      '×',
    )
  return [
    atMost(
      `${hosts} agents by ${batch}, times hook time × batches (${median(batches).toFixed(0)} ms, a shell loop ${median(bare).toFixed(0)} ms)`,
      [median(batches) / (hookMs * Math.ceil(hosts / batch)), mayBe.ofHooks],
      '×',
    ),
    back('by themselves, after a failure of the last one', byItself),
    back('by hand, all at once', byHand),
  ]
}

async function untilOnline({ platform: { call } }: World, workspaceId: number): Promise<void> {
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(200)) {
    const { body } = await call('GET', `/agents?workspaceId=${workspaceId}&limit=100`)
    const found = body['agents'] as Array<{ state: string }>
    if (found.filter(({ state }) => state === 'online').length === hosts) return
  }
  throw new Error('an agent is not online')
}

/** Copies a release to each host and runs its hook, a batch at a time. */
async function shellLoop(folder: string): Promise<number> {
  const since = performance.now()
  for (let at = 0; at < hosts; at += batch)
    await Promise.all(
      Array.from({ length: Math.min(batch, hosts - at) }, async (_, n) => {
        const release = join(folder, `host-${at + n + 1}`, 'shell')
        const script = `rm -rf "$0"; cp -rL "$(dirname "$0")/current" "$0"; cd "$0"; CC_RELEASE_PATH=. hooks/activate`
        const child = spawn('sh', ['-ec', script, release], { stdio: 'ignore' })
        const [code] = (await once(child, 'close')) as [number | null]
        if (code !== 0) throw new Error(`the shell loop ended with ${code}`)
      }),
    )
  return performance.now() - since
}

const byBatch = 'by-batch'
const build = manifestWith(
  'steps:\n  - name: make\n    run: mkdir dist; cp -r page failing hooks dist; chmod 755 dist/hooks/*\nartifact:\n  path: dist',
)
const manifestPath = '.cloud-control/pipeline.yml'
const deploy = `deploy:
  strategy: all-at-once
  strategies:
    ${byBatch}: { kind: rolling, batch: ${batch} }
  hooks: { activate: hooks/activate, rollback: hooks/rollback }
`
const files = {
  [manifestPath]: `${build[manifestPath]}${deploy}`,
  'hooks/activate': `#!/bin/sh\nsleep ${hookSeconds}\ncase "$CC_RELEASE_PATH" in */"$(cat failing)"/*) exit 1;; esac\n`,
  'hooks/rollback': `#!/bin/sh\nsleep ${hookSeconds}\n`,
  page: 'none',
  failing: 'none',
}
