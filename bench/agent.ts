import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentHost } from '../test/harness/agents/agent-host.ts'
import { compressed, type Artifact } from '../test/harness/agents/make-artifact.ts'
import { benchConfig } from './config.ts'
import { cpuTime } from './cpu-time.ts'
import { atMost, median, tableOfLimits, type Held } from './figures.ts'

const rounds = benchConfig.rounds(5)
const megabytes = Math.round(500 * benchConfig.scale)
const smallFiles = Math.round(20_000 * benchConfig.scale)
const idleMs = benchConfig.forMs(60_000)
const settledMs = 3_000

/** The limits of docs/decisions/0192-the-deploy-agent.md; memory is what is gained since the agent waited for work. */
const mayBe = { gainedMb: 60, speedRatio: 0.7, beyondHooksMs: 300, idleShare: 0.001 }

/** Memory and CPU time of an agent, its time beside the hooks, and unpacking beside `zstd -d | tar x`. */
export async function agentSuite(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'cc-bench-agent-'))
  try {
    console.log(
      `${cpus().length} processors, ${rounds} rounds, ${megabytes} MB, ${smallFiles} files`,
    )
    const large = packed(folder, 'large', `head -c ${megabytes}M /dev/urandom > data`)
    const small = packed(
      folder,
      'small',
      `i=0; while [ $i -lt ${smallFiles} ]; do d=d$((i / 100)); mkdir -p $d; echo "const value = $i" > $d/$i.js; i=$((i + 1)); done`,
    )
    execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build-agent.ts'), folder])
    const rows = [
      ...(await unpackBeside(folder, {
        [`one file of ${megabytes} MB`]: large,
        [`${smallFiles} files`]: small,
      })),
      ...(await agentAtWork(join(folder, 'cloud-control-agent.cjs'), large)),
    ]
    console.log(`\n${tableOfLimits(rows)}`)
    return rows.every(({ isMet }) => isMet)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function packed(folder: string, name: string, script: string): Artifact {
  const tree = join(folder, name)
  const tar = join(folder, `${name}.tar`)
  execFileSync('sh', [
    '-ec',
    `mkdir "$0"; cd "$0"; ${script}; tar --create --format=posix --file="$1" .`,
    tree,
    tar,
  ])
  const artifact = compressed(tar)
  rmSync(tree, { recursive: true })
  rmSync(tar)
  return artifact
}

async function unpackBeside(folder: string, artifacts: Record<string, Artifact>): Promise<Held[]> {
  const rows: Held[] = []
  for (const [what, { path }] of Object.entries(artifacts)) {
    const times = { ours: [] as number[], bare: [] as number[] }
    const to = join(folder, 'unpacked')
    // Alternates, so that other load on the machine affects both; the first round fills the page cache.
    for (let round = -1; round < rounds; round += 1) {
      const ours = unpackMs(path, to)
      rmSync(to, { recursive: true })
      const bare = await timed(async () =>
        execFileSync('sh', ['-ec', 'mkdir "$1"; zstd -q -d -c "$0" | tar -x -C "$1"', path, to]),
      )
      rmSync(to, { recursive: true })
      if (round < 0) continue
      times.ours.push(ours)
      times.bare.push(bare)
    }
    const ratio = median(times.bare) / median(times.ours)
    rows.push({
      what: `unpack ${what}: ${median(times.ours).toFixed(0)} ms, zstd -d | tar x: ${median(times.bare).toFixed(0)} ms`,
      value: `× ${ratio.toFixed(2)}`,
      limit: `≥ ${mayBe.speedRatio}`,
      isMet: ratio >= mayBe.speedRatio,
    })
  }
  return rows
}

function unpackMs(path: string, to: string): number {
  const main = join(import.meta.dirname, 'agent/unpack-main.ts')
  // As the unit starts an agent.
  const args = ['--max-semi-space-size=1', main, path, to]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

async function agentAtWork(bundle: string, large: Artifact): Promise<Held[]> {
  const host = await agentHost()
  try {
    const agent = host.start({}, bundle)
    await sleep(settledMs)
    const waiting = peakMb(agent.pid)
    const beyond: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const built = host.release(`page ${round}`, {
        install: 'true',
        activate: 'true',
        health: 'true',
      })
      await sleep(300)
      const given = host.give('deploy', built)
      const tookMs = await timed(async () => host.resultOf(given))
      const hooks = given.result?.['hooks'] as { durationMs: number }[]
      beyond.push(tookMs - hooks.reduce((sum, { durationMs }) => sum + durationMs, 0))
    }
    const small = peakMb(agent.pid)
    const before = cpuSeconds(agent.pid)
    await sleep(idleMs)
    const idle = (cpuSeconds(agent.pid) - before) / (idleMs / 1_000)
    const result = await host.resultOf(host.give('deploy', large, { hooks: [] }))
    if (result['ok'] !== true) throw new Error(String(result['message']))
    const peak = peakMb(agent.pid)
    return [
      {
        what: 'a deployment beyond its hooks',
        value: `${median(beyond).toFixed(0)} ms`,
        limit: `≤ ${mayBe.beyondHooksMs} ms`,
        isMet: median(beyond) <= mayBe.beyondHooksMs,
      },
      {
        what: `an idle agent, of one core in ${idleMs / 1_000} s`,
        value: `${(idle * 100).toFixed(2)} %`,
        limit: `≤ ${mayBe.idleShare * 100} %`,
        isMet: idle <= mayBe.idleShare,
      },
      memoryRow('small releases', small, waiting),
      memoryRow(`a release of ${megabytes} MB`, peak, waiting),
    ]
  } finally {
    await host.close()
  }
}

const memoryRow = (what: string, peak: number, waiting: number): Held =>
  atMost(
    `memory gained by ${what} (at its highest ${peak.toFixed(0)} MB, ${waiting.toFixed(0)} MB when it began to wait)`,
    [peak - waiting, mayBe.gainedMb],
    'MB',
  )

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

function peakMb(pid: number): number {
  const [, kb = ''] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) / 1024
}

const cpuSeconds = (pid: number): number => cpuTime({ agent: pid })['agent'] ?? 0
