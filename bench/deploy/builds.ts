import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { building } from '../../test/harness/git/application-of.ts'
import { benchConfig } from '../config.ts'
import { atLeast, atMost, median, noted, type Held } from '../figures.ts'
import { processesBelow } from '../hostile/random-kills.ts'
import { watchMemory } from '../watch-memory.ts'
import {
  openApplication,
  stageMs,
  succeeded,
  type Application,
  type EndedRun,
} from './application.ts'
import { bareMs } from './bare.ts'
import { followLog } from './follow-log.ts'
import type { World } from './world.ts'

const rounds = benchConfig.rounds(5)
const megabytes = (usual: number) => Math.max(1, Math.round(usual * benchConfig.scale))

/** The limits of the issue that asked for this bench: docs/decisions/0218-what-a-deployment-costs.md. */
const mayBe = {
  addedToStageMs: 300,
  addedToBuildMs: 400,
  sourceRatio: 1.3,
  gainedMb: 64,
  packedRatio: 0.7,
}

/** A pipeline without a step that takes time, beside the programs that it runs. */
export async function smallBuild({ platform: { call }, peer, folder }: World): Promise<Held[]> {
  const application = await openApplication(
    { call, peer },
    { repository: 'acme/small', files: building('mkdir dist; echo one > dist/x') },
  )
  await succeeded(await application.start())
  const [whole, build, bareFetch, bareBuild] = [[], [], [], []] as number[][]
  for (let round = 0; round < rounds; round += 1) {
    const run = await succeeded(await application.start())
    whole?.push(run.tookMs)
    build?.push(stageMs(run, 'build'))
    bareFetch?.push(await bareMs(fetchScript(peer, 'acme/small'), { TO: join(folder, 'small') }))
    const made = 'rm -rf "$IN/dist"; mkdir "$IN/dist"; echo one > "$IN/dist/x"'
    bareBuild?.push(await bareMs(`${made}\n${packScript}`, { IN: folder }))
  }
  const of = (times: number[] | undefined) => median(times ?? [])
  const bare = of(bareFetch) + of(bareBuild)
  return [
    atMost(
      `each of two stages beyond bare git, sh, tar and sha256sum (run ${of(whole).toFixed(0)} ms, bare ${bare.toFixed(0)} ms)`,
      [(of(whole) - bare) / 2, mayBe.addedToStageMs],
      'ms',
    ),
    atMost(
      `a build that does nothing beyond bare git, sh, tar and sha256sum (${of(build).toFixed(0)} ms, bare ${bare.toFixed(0)} ms)`,
      [of(build) - bare, mayBe.addedToBuildMs],
      'ms',
    ),
  ]
}

/** A repository of 500 MB, beside `git fetch`; the stage build fetches it once more. */
export async function largeSource(world: World): Promise<Held[]> {
  const { platform, peer, folder } = world
  const size = megabytes(500)
  const application = await openApplication(
    { call: platform.call, peer },
    { repository: 'acme/large', files: building('mkdir dist; echo one > dist/x') },
  )
  await commitLarge(world, size)
  const { runs, gained } = await measured(world, application)
  const bare: number[] = []
  for (const _ of runs)
    bare.push(await bareMs(fetchScript(peer, 'acme/large'), { TO: join(folder, 'large') }))
  const source = median(runs.map((run) => stageMs(run, 'source')))
  return [
    atMost(
      `source of ${size} MB, times bare git fetch and checkout (${source.toFixed(0)} ms, bare ${median(bare).toFixed(0)} ms)`,
      [source / median(bare), mayBe.sourceRatio],
      '×',
    ),
    atMost(`memory of the worker with a source of ${size} MB`, [gained, mayBe.gainedMb], 'MB'),
  ]
}

/** A step that prints 1 GB. */
export async function loudStep(world: World): Promise<Held[]> {
  const size = megabytes(1_000)
  const line = 'a line that a step of a build prints again and again, as some do'
  const application = await openApplication(
    { call: world.platform.call, peer: world.peer },
    {
      repository: 'acme/loud',
      files: building(`yes '${line}' | head -c ${size}M\nmkdir dist; echo one > dist/x`),
    },
  )
  const { runs, gained, gainedOfReader } = await measured(world, application, { count: 1 })
  const took = median(runs.map(({ tookMs }) => tookMs))
  return [
    atMost(
      `memory of the worker with a step that prints ${size} MB (${took.toFixed(0)} ms)`,
      [gained, mayBe.gainedMb],
      'MB',
    ),
    atMost('memory of the process that reads these lines', [gainedOfReader, mayBe.gainedMb], 'MB'),
  ]
}

/** Artifacts of 20 MB and 2 GB, beside `tar | zstd | sha256sum` of the same files: the limit is that of the larger one. */
export async function largeArtifact(world: World): Promise<Held[]> {
  const { platform, peer, folder } = world
  const rows: Held[] = []
  const large = megabytes(2_000)
  for (const size of [megabytes(20), large]) {
    const step = `mkdir dist; head -c ${size}M /dev/urandom > dist/x; echo ${lastLine}`
    const application = await openApplication(
      { call: platform.call, peer },
      { repository: `acme/artifact-${size}`, files: building(step) },
    )
    const packed: number[] = []
    const { gained } = await measured(world, application, {
      beside: async ({ id }) => void packed.push(await packingMs(world, application, id)),
    })
    const bare: number[] = []
    await bareMs(`rm -rf "$IN/made"; mkdir "$IN/made"; cd "$IN/made"; ${step}`, { IN: folder })
    for (const _ of packed) bare.push(await bareMs(packScript, { IN: join(folder, 'made') }))
    const [ours, theirs] = [median(packed), median(bare)]
    const speed = `speed of packing ${size} MB, of tar, zstd and sha256sum (${ours.toFixed(0)} ms, bare ${theirs.toFixed(0)} ms)`
    rows.push(
      size === large
        ? atLeast(speed, [theirs / ours, mayBe.packedRatio], '×')
        : noted(speed, theirs / ours, '×'),
      atMost(`memory of the worker with an artifact of ${size} MB`, [gained, mayBe.gainedMb], 'MB'),
    )
  }
  return rows
}

const lastLine = 'the step is over'

/** From the last line of the step until the artifact is kept and noted, as a person sees it in the log. */
async function packingMs(
  { platform }: World,
  { runs }: Application,
  runId: number,
): Promise<number> {
  let from = Number.NaN
  for await (const { line, atMs } of followLog(platform, { runs, runId, stage: 'build' })) {
    if (line === lastLine) from = atMs
    if (line.startsWith('Artifact sha256:')) return atMs - from
  }
  throw new Error(`run ${runId} kept no artifact`)
}

/** Runs, and what the memory of the worker gained meanwhile, and that of the process that reads what steps print. */
async function measured(
  world: World,
  application: Application,
  {
    count = rounds,
    beside,
  }: { count?: number; beside?: (run: { id: number }) => Promise<void> } = {},
): Promise<{ runs: EndedRun[]; gained: number; gainedOfReader: number }> {
  const usual = await peakOfReaders(world, async () => quietRun(world))
  const { platform } = world
  const memory = watchMemory(() => ({ worker: platform.pids()['worker'] ?? 0 }))
  const runs: EndedRun[] = []
  const most = await peakOfReaders(world, async () => {
    for (let round = 0; round < count; round += 1) {
      const run = await application.start()
      const [ended] = await Promise.all([succeeded(run), beside?.(run)])
      runs.push(ended)
    }
  })
  memory.stop()
  return {
    runs,
    gained: memory.gained()['worker'] ?? Number.POSITIVE_INFINITY,
    gainedOfReader: most - usual,
  }
}

let quiet: { world: World; application: Application } | undefined

/** A run that loads what every later one needs. */
async function quietRun(world: World): Promise<void> {
  if (quiet?.world !== world) {
    const { platform, peer } = world
    const application = await openApplication(
      { call: platform.call, peer },
      { repository: 'acme/quiet', files: building('mkdir dist; echo one > dist/x') },
    )
    quiet = { world, application }
    await succeeded(await application.start())
  }
  await succeeded(await quiet.application.start())
}

/** The most memory of a runner while something is done, in MB. */
async function peakOfReaders({ platform }: World, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const timer = setInterval(() => {
    for (const [, pid] of processesBelow(platform.pids()['worker'] ?? 0))
      if (/runner\/main/.test(textOf(`/proc/${pid}/cmdline`)))
        most = Math.max(
          most,
          Number(/^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024,
        )
  }, 100)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return most
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process ended since it was listed.
    return ''
  }
}

async function commitLarge({ peer }: World, size: number): Promise<void> {
  const path = peer.path?.('acme/large')
  if (path === undefined) throw new Error('this Git host has no folder')
  await bareMs(
    `work=$(mktemp -d)
     git clone --quiet "$GIT_OF" "$work/clone"
     cd "$work/clone"
     n=0; while [ $n -lt 50 ]; do head -c $((SIZE * 1000000 / 50)) /dev/urandom > data-$n; n=$((n + 1)); done
     git add .
     git -c user.name=ada -c user.email=ada@acme.example commit --quiet --message large
     git push --quiet origin HEAD
     # As a host keeps them, so that it compresses nothing at each fetch.
     git -C "$GIT_OF" -c pack.window=0 repack -a -d -q
     rm -rf "$work"`,
    { GIT_OF: path, SIZE: String(size), HOME: '/nonexistent' },
  )
}

const fetchScript = (peer: World['peer'], repository: string) => `
  rm -rf "$TO"
  git init --quiet "$TO"
  cd "$TO"
  git -c fetch.unpackLimit=1 -c gc.auto=0 fetch --quiet --depth 1 "${peer.server.url.replace('://', `://bench:${peer.token()}@`)}/${repository}.git" main
  git checkout --quiet --detach FETCH_HEAD
  cd /
  rm -rf "$TO"`

/** An archive as someone makes it by hand, flushed to the disk as ours is. */
const packScript = `
  cd "$IN"
  tar --create --sort=name --format=posix dist | zstd -q -3 -T1 > x.tar.zst
  sha256sum x.tar.zst
  sync x.tar.zst
  rm x.tar.zst`
