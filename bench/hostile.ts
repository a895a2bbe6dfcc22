import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchConfig } from './config.ts'
import { freePorts } from '../engines/free-ports.ts'
import { median, p95, table } from './figures.ts'
import { lookAtLoops, watchLoops, type LoopDelay } from './hostile/loop-of.ts'
import { startAttackers, type Attackers } from './hostile/attackers.ts'
import { watchMemory } from './watch-memory.ts'
import { makeOrganization } from './hostile/organization.ts'
import { killAtRandom } from './hostile/random-kills.ts'
import { quietTenant, type QuietTenant, type Watched } from './hostile/quiet-tenant.ts'
import { startPlatform, type Platform } from './start-platform.ts'

const forMs = benchConfig.forMs(60_000)
/**
 * The limits: how much longer other tenants may wait, and how much the service's memory may grow,
 * beside one tenant's hostile input.
 */
const mayBeTimes = 2
const mayGainMb = 150

const say = (line: string): void => console.log(line)

type Measured = {
  name: string
  watched: Watched
  gained: Record<string, number>
  delays: Record<string, LoopDelay | undefined>
}

/**
 * Measures a quiet tenant alone, then beside each input of a hostile tenant, then beside all inputs
 * of two.
 */
export async function hostileSuite(): Promise<boolean> {
  const loops = mkdtempSync(join(tmpdir(), 'cc-bench-loops-'))
  const { cloud: cloudPort } = await freePorts(['cloud'])
  const platform = await startPlatform(say, {
    ...lookAtLoops(loops, benchConfig.nodeOptions),
    // The attackers face the default rate limits of a new installation.
    CC_RATE_LIMITS: undefined,
    CC_PRIVATE_HOSTS: `cloud=127.0.0.1:${cloudPort}`,
  })
  let attackers: Attackers | undefined
  let client: QuietTenant | undefined
  try {
    const quiet = (client = await quietTenant(platform, benchConfig.kills))
    const organizations = [
      await makeOrganization(platform, 'hostile'),
      await makeOrganization(platform, 'hostile-too'),
    ].map(({ slug, credentials }) => ({ slug, credentials }))
    attackers = await startAttackers({ address: platform.address, cloudPort, organizations })
    const { names, strike } = attackers
    const measure = async (
      name: string,
      attacks: number[],
      { ofOrganizations = 1, watchMs = forMs } = {},
    ): Promise<Measured> => {
      say(name)
      const memory = watchMemory(() => partsOf(platform), benchConfig.kills)
      const loop = watchLoops(loops, partsOf(platform))
      const end = strike(attacks, ofOrganizations)
      const watched = await quiet.watch(watchMs)
      await end()
      memory.stop()
      return { name, watched, gained: memory.gained(), delays: loop.delays() }
    }
    // Warms up, because code is slow the first time it runs, without any attack.
    await quiet.watch(Math.min(forMs, 10_000))
    // The bench with kills lasts an hour. The idle measurement needs less.
    const idle = await measure('nobody else', [], { watchMs: Math.min(forMs, 60_000) })
    const all = names.map((_, at) => at)
    const ofBoth = { ofOrganizations: organizations.length }
    if (benchConfig.kills)
      return await besideKills(platform, idle, async () =>
        measure('all of them, by two tenants, and kills', all, ofBoth),
      )
    const results: Measured[] = []
    for (const [at, name] of names.entries()) {
      if (benchConfig.only && !name.includes(benchConfig.only)) continue
      results.push(await measure(`${at + 1}. ${name}`, [at]))
    }
    const together = 'all of them, by two tenants'
    if (together.includes(benchConfig.only ?? ''))
      results.push(await measure(together, all, ofBoth))
    say(report(idle, results))
    return results.every((result) => faultsOf(idle, result).length === 0)
  } finally {
    attackers?.close()
    client?.close()
    await platform.stop()
    rmSync(loops, { recursive: true, force: true })
  }
}

/**
 * Kills processes at random moments. Then every run must end, no run may be lost that no kill could
 * have hit, no run may be applied twice, and the quiet tenant's response times and the memory must
 * stay within the limits.
 */
async function besideKills(
  platform: Platform,
  idle: Measured,
  measure: () => Promise<Measured>,
): Promise<boolean> {
  const kills = killAtRandom(() => platform.pids())
  const measured = await measure()
  await kills.stop()
  const { watched, gained } = measured
  const unexplained = watched.lost.filter(
    ({ from, to }) => !kills.ofRuns.some((at) => at >= from && at <= to),
  )
  const twice = await twins(platform)
  const faults = [
    ...faultsOf(idle, measured),
    ...unexplained.map(({ id }) => `run ${id} was lost and no kill could have hit it`),
    ...(twice > 0 ? [`${twice} serials were written by two runs`] : []),
  ]
  const idleP95 = p95(idle.watched.apiMs)
  say(`killed: ${JSON.stringify(kills.counts)}`)
  say(
    `short runs that succeeded: ${watched.runMs.length}; lost while processes of runs were killed: ${watched.lost.length}`,
  )
  say(
    `API p95 ${ms(p95(watched.apiMs))} ms beside ${ms(idleP95)} idle; memory gained: ${JSON.stringify(gained)} MB`,
  )
  say(`faults: ${faults.join('; ') || 'none'}`)
  return faults.length === 0
}

/** The number of serials that two applies wrote in one workspace. */
async function twins({ store }: Platform): Promise<number> {
  const { rows } = await store.platform.raw(
    `select count(*) from (select workspace_id, serial from state_versions
     where status <> 'quarantined' group by workspace_id, serial, lineage having count(*) > 1) t`,
  )
  return Number(rows[0]?.count)
}

const partsOf = (platform: Platform) => {
  const { api = 0, worker = 0 } = platform.pids()
  return { api, worker }
}

function faultsOf(idle: Measured, { watched, gained }: Measured): string[] {
  const faults = [...watched.faults]
  if (p95(watched.apiMs) > mayBeTimes * Math.max(p95(idle.watched.apiMs), 5))
    faults.push(`API p95 above ${mayBeTimes} × idle`)
  for (const [part, megabytes] of Object.entries(gained))
    if (megabytes > mayGainMb) faults.push(`${part} gained ${megabytes.toFixed(0)} MB`)
  return faults
}

function report(idle: Measured, results: readonly Measured[]): string {
  const all = [idle, ...results]
  const figures = table([
    ['quiet tenant beside', 'API median ms', 'p95', 'to idle', 'runs', 'run median ms'],
    ...all.map(({ name, watched }) => [
      name,
      ms(median(watched.apiMs)),
      ms(p95(watched.apiMs)),
      `× ${(p95(watched.apiMs) / p95(idle.watched.apiMs)).toFixed(2)}`,
      String(watched.runMs.length),
      ms(median(watched.runMs)),
    ]),
  ])
  const parts = ['worker', 'api']
  const processes = table([
    ['event loop and memory', ...parts.flatMap((part) => [`${part} p99 ms`, 'max', 'CPU', '+ MB'])],
    ...all.map(({ name, gained, delays }) => [
      name,
      ...parts.flatMap((part) => [...delayCells(delays[part]), (gained[part] ?? 0).toFixed(0)]),
    ]),
  ])
  const verdicts = results.map((result) => {
    const faults = faultsOf(idle, result)
    return `${result.name}: ${faults.length === 0 ? 'held' : `NOT HELD: ${faults.slice(0, 6).join('; ')}`}`
  })
  return [
    figures,
    '',
    processes,
    'p99, max: how late the event loop was. CPU: the most that its thread used at one stretch; what is',
    'late without it waited for a processor. + MB: above the first look, at the most.',
    '',
    `limits: no fault of the quiet tenant, API p95 ≤ ${mayBeTimes} × idle (at least 10 ms), API and worker within ${mayGainMb} MB`,
    ...verdicts,
  ].join('\n')
}

const delayCells = (delay: LoopDelay | undefined): string[] =>
  delay ? [ms(delay.p99Ms), ms(delay.maxMs), ms(delay.maxCpuMs)] : ['–', '–', '–']

const ms = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
