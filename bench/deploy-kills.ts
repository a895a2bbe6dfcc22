import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { gitlabPeer } from '../test/harness/git/gitlab-peer.ts'
import { benchConfig } from './config.ts'
import { faultsOfHosts, linesThatAreMissing, unfinishedProcesses } from './deploy-kills/faults.ts'
import { startHosts } from './deploy-kills/hosts.ts'
import { killOne } from './deploy-kills/kill-one.ts'
import { openPipeline, strategies, type ShopPipeline } from './deploy-kills/shop-pipeline.ts'
import type { EndedRun, StartedRun } from './deploy/application.ts'
import { median, table } from './figures.ts'
import { startPlatform, type Platform } from './start-platform.ts'

const rounds = benchConfig.rounds(200)
const hostCount = 10
/** The limit: how long after a kill a run may still be under way. */
const mayTakeMs = 60_000

type World = {
  platform: Platform
  pipeline: ShopPipeline
  hosts: Awaited<ReturnType<typeof startHosts>>
}
/** What a round brings to the hosts: the word of its page. */
type Release = { run: StartedRun; word: string; how: string }
type Round = { killed: string; how: string; run: EndedRun; afterKillMs: number; faults: string[] }

/**
 * Deployments to ten agents by each strategy in turn, and every fifth a rollback by hand, each with one `kill -9` at a
 * random moment, of each kind in turn: the API, the worker, a process below it, PostgreSQL, Temporal, an agent or a
 * hook. Every run must end, and well if it ended before the kill. No finished hook may run again, and no host may have half a release, a process that
 * is left, or a line less in its log.
 */
export async function deployKillsSuite(): Promise<boolean> {
  const peer = await gitlabPeer()
  const platform = await startPlatform((line) => console.log(line), {
    CC_PRIVATE_HOSTS: `git=127.0.0.1:${peer.server.port}`,
  })
  const closing: Array<() => Promise<void>> = [() => peer.close(), () => platform.stop()]
  try {
    console.log(`${cpus().length} processors, ${rounds} rounds, ${hostCount} agents`)
    const pipeline = await openPipeline(platform, peer)
    const hosts = await startHosts(platform, { pipeline, count: hostCount })
    closing.push(() => hosts.close())
    const world = { platform, pipeline, hosts }
    const first = await pipeline.deploy('first', 'by-three')
    const firstMs = (await first.ended()).tookMs
    console.log(`a deployment without a kill: ${firstMs} ms`)
    /** The shortest run of each strategy, so that a kill comes before the end of the run. */
    const shortestMs = new Map<string, number>()
    const good: Array<{ id: number; word: string }> = [{ id: first.id, word: 'first' }]
    const results: Round[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const release = await releaseOf(pipeline, { round, earlier: good.at(-2) })
      const usualMs = shortestMs.get(release.how) ?? firstMs
      const result = await playRound(world, release, { round, usualMs })
      results.push(result)
      if (result.run.state === 'succeeded')
        shortestMs.set(release.how, Math.min(usualMs, result.run.tookMs))
      const { killed, how, run, afterKillMs, faults } = result
      if (run.state === 'succeeded') good.push({ id: run.id, word: release.word })
      console.log(
        `${round}: ${how}, ${killed}, ${run.state} ${run.endMessage ?? ''} ${afterKillMs} ms later ${faults.join('; ')}`,
      )
    }
    console.log(`\n${report(results)}`)
    return results.every(({ faults }) => faults.length === 0)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

async function releaseOf(
  pipeline: ShopPipeline,
  { round, earlier }: { round: number; earlier: { id: number; word: string } | undefined },
): Promise<Release> {
  if (round % 5 === 0 && earlier)
    return {
      run: await pipeline.rollBackTo(earlier.id),
      word: earlier.word,
      how: 'rollback',
    }
  const word = `round-${round}`
  const how = strategies[round % strategies.length] ?? 'by-three'
  return { run: await pipeline.deploy(word, how), word, how }
}

async function playRound(
  { platform, pipeline, hosts }: World,
  { run, word, how }: Release,
  { round, usualMs }: { round: number; usualMs: number },
): Promise<Round> {
  const sinceMs = Date.now()
  await sleep(Math.random() * usualMs)
  const killed = await killOne(platform, { hosts, round })
  const killedAt = Date.now()
  const ended = await run.ended()
  const afterKillMs = Math.max(0, ended.endedAtMs - killedAt)
  await hosts.allOnline()
  const faults = [
    ...(afterKillMs > mayTakeMs ? [`it ended ${afterKillMs} ms after the kill`] : []),
    ...(ended.state !== 'succeeded' && afterKillMs === 0 ? ['it failed before the kill'] : []),
    ...(await faultsOfHosts({ pipeline, hosts, run: ended, word, sinceMs })),
    ...(await linesThatAreMissing({ pipeline, hosts, run: ended, sinceMs })),
    ...(await unfinishedProcesses(hosts)),
  ]
  return { killed, how, run: ended, afterKillMs, faults }
}

function report(results: readonly Round[]): string {
  const kinds = [...new Set(results.map(({ killed }) => killed))].toSorted()
  const rows = kinds.map((kind) => {
    const of = results.filter(({ killed }) => killed === kind)
    const after = of.map(({ afterKillMs }) => afterKillMs)
    return [
      kind,
      String(of.length),
      String(of.filter(({ run }) => run.state === 'succeeded').length),
      `${median(after).toFixed(0)} ms`,
      `${Math.max(...after)} ms`,
      String(of.flatMap(({ faults }) => faults).length),
    ]
  })
  return table([
    ['killed', 'rounds', 'succeeded', 'ended after, median', 'at most', 'faults'],
    ...rows,
  ])
}
