import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchHost, startHosts } from './hosts.ts'
import type { EndedRun } from '../deploy/application.ts'
import { linesOfHook, type ShopPipeline } from './shop-pipeline.ts'

type Look = {
  pipeline: ShopPipeline
  hosts: Awaited<ReturnType<typeof startHosts>>
  run: EndedRun
  /** When the round began. */
  sinceMs: number
}

/** How long an agent may take to note the end of a hook. One that is killed before has no result of it. */
const noteMs = 250

/** Hosts with half a release, with another one than the run says, or with a finished hook that ran again. */
export async function faultsOfHosts({
  pipeline,
  hosts,
  run,
  word,
  sinceMs,
}: Look & { word: string }): Promise<string[]> {
  const said = new Map(
    (await pipeline.hostsOf(run.id)).map(({ agent, state }) => [agent.name, state]),
  )
  return hosts.list.flatMap((host) => {
    const [page, second] = host.pages()
    const state = said.get(host.name)
    return [
      ...(page === second ? [] : [`${host.name} has half a release: ${page} and ${second}`]),
      ...(state === 'healthy' && page !== word ? [`${host.name} is healthy and has ${page}`] : []),
      ...(state === 'rolled_back' && page === word
        ? [`${host.name} went back and has ${page}`]
        : []),
      ...(run.state === 'succeeded' && state !== 'healthy' && state !== 'failed'
        ? [`${host.name} is ${state} after a run that succeeded`]
        : []),
      ...runAgain(host, sinceMs),
    ]
  })
}

/** An agent that was killed beside a hook has no result of it, and runs it again; but never `activate`. */
function runAgain(host: BenchHost, sinceMs: number): string[] {
  const trace = host.trace().filter(({ atMs }) => atMs >= sinceMs)
  return trace.flatMap((again, at) => {
    const same = trace
      .slice(0, at)
      .filter(({ hook, runId }) => hook === again.hook && runId === again.runId)
    const end = same.findLast(({ is }) => is === 'end')
    if (again.is === 'end' || !end) return []
    const begunMs = same.findLast(({ is }) => is === 'begin')?.atMs ?? end.atMs
    const isUnknown = host.kills.some((ms) => ms >= begunMs && ms < end.atMs + noteMs)
    return isUnknown && again.hook !== 'activate'
      ? []
      : [`${host.name} ran ${again.hook} of run ${again.runId} again after its end`]
  })
}

/** Lines of hooks that ended and that the log of the run does not have, and lines that it has more often than printed. */
export async function linesThatAreMissing({
  pipeline,
  hosts,
  run,
  sinceMs,
}: Look): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const line of await pipeline.linesOf(run.id)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return hosts.list.flatMap((host) => {
    const trace = host.trace().filter(({ atMs }) => atMs >= sinceMs)
    return trace
      .filter(({ is }) => is === 'end')
      .flatMap(({ hook, runId }) => {
        const begun = trace.filter(
          (one) => one.is === 'begin' && one.hook === hook && one.runId === runId,
        ).length
        const found = Array.from(
          { length: linesOfHook },
          (_, at) => counts.get(`line ${hook} ${runId} ${host.name} ${at}`) ?? 0,
        )
        const missing = found.filter((count) => count === 0).length
        const double = found.filter((count) => count > begun).length
        return [
          ...(missing > 0 ? [`${host.name} lost ${missing} lines of ${hook}`] : []),
          ...(double > 0 ? [`${host.name} has ${double} lines of ${hook} twice`] : []),
        ]
      })
  })
}

/** Processes of hooks that still live, and any that ended and that nobody waits for; if they stay for half a minute. */
export async function unfinishedProcesses(hosts: Look['hosts']): Promise<string[]> {
  let found: string[] = []
  for (let looks = 0; looks < 300; looks += 1) {
    found = unfinishedNow(hosts)
    if (found.length === 0) break
    await sleep(100)
  }
  return found
}

function unfinishedNow({ folder, list }: Look['hosts']): string[] {
  const agents = new Set(list.map((host) => String(host.pid())))
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !agents.has(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const what = `${pid} ${stat.slice(stat.indexOf('('), stat.lastIndexOf(')') + 1)}`
        if (state === 'Z') return [`a zombie is left: ${what}, child of ${parent}`]
        const isHook = readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`)
        return isHook ? [`a process of a hook is left: ${what}`] : []
      } catch {
        // The process ended since it was listed.
        return []
      }
    })
}
