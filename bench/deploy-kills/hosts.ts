import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installAgent, type AgentProcess } from '../../test/harness/agents/start-agent.ts'
import type { Platform } from '../start-platform.ts'
import { secondPage, type ShopPipeline } from './shop-pipeline.ts'

/** What a hook noted: when, whether it began or ended, and for which run. */
export type Trace = { atMs: number; is: 'begin' | 'end'; hook: string; runId: number }

export type BenchHost = {
  name: string
  /** Of the agent that lives now. */
  pid(): number
  /** The pages of the release that is live: each has the word of one release. */
  pages(): string[]
  trace(): Trace[]
  /** When its agent was killed, in milliseconds. */
  kills: number[]
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Agents as processes, each in a folder of its own. One that was killed is started again, as systemd does. */
export async function startHosts(
  platform: Platform,
  { pipeline, count }: { pipeline: ShopPipeline; count: number },
): Promise<{
  folder: string
  list: BenchHost[]
  allOnline(): Promise<void>
  close(): Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bench-hosts-'))
  const list: BenchHost[] = []
  const { call, workspaceId } = pipeline
  for (let at = 1; at <= count; at += 1) {
    const name = `host-${at}`
    const { body } = await call('POST', '/agents', { name, workspaceId })
    list.push(hostOf(platform, { name, dir: join(folder, name), install: String(body['install']) }))
  }
  const allOnline = async () => {
    for (const until = Date.now() + 60_000; Date.now() < until; await sleep(100)) {
      const { body } = await call('GET', `/agents?workspaceId=${workspaceId}&limit=100`)
      const agents = body['agents'] as Array<{ state: string }>
      if (agents.filter(({ state }) => state === 'online').length === count) return
    }
    throw new Error('an agent is not online')
  }
  await allOnline()
  return {
    folder,
    list,
    allOnline,
    async close() {
      await Promise.all(list.map(async (host) => host.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function hostOf(
  platform: Platform,
  { name, dir, install }: { name: string; dir: string; install: string },
): BenchHost {
  const url = platform.address.replace(/\/api$/, '')
  const start = (): AgentProcess => installAgent(install, { url, dir })
  let agent = start()
  const kills: number[] = []
  return {
    name,
    kills,
    pid: () => agent.pid,
    pages: () =>
      ['page', secondPage].map((file) => readFileSync(join(dir, 'current', file), 'utf8').trim()),
    trace: () => traceIn(join(dir, 'trace')),
    async kill() {
      kills.push(Date.now())
      await agent.kill()
      agent = start()
    },
    stop: async () => void (await agent.stop()),
  }
}

function traceIn(file: string): Trace[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [at, is, hook = '', runId] = line.split(' ')
      return { atMs: Number(at), is: is === 'end' ? 'end' : 'begin', hook, runId: Number(runId) }
    })
}
