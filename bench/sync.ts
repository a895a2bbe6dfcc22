import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { table } from './figures.ts'
import { watchMemory } from './watch-memory.ts'
import { startPlatform, type Platform } from './start-platform.ts'
import { bareCopy, barePaging } from './sync/bare-paging.ts'
import { rowsWritten, writtenSince } from './sync/rows-written.ts'
import { startClouds, type BenchCloud, type BenchClouds } from './sync/start-clouds.ts'
import { connectAndSync, syncAgain, type TimedSync } from './sync/sync-account.ts'

/** The bars of issue 14. Rates are shares of those of the bare loops. */
const bars = { ofMoto: 0.8, ofCopy: 0.5, memoryMb: 100, rows: 10, faster: 2 }
/** Written once or more for each place of a sync; the rows of all other tables are the same for any number. */
const tablesOfPlaces = new Set(['cloud_places', 'cloud_resource_pages', 'cloud_sync_places'])

const settledMs = 15_000

const say = (line: string): void => console.log(line)

/**
 * Syncs accounts of 10,000 and 100,000 resources, beside a bare loop over the pages of the same
 * servers with the same SDK. False if a figure misses its bar.
 */
export async function syncSuite(): Promise<boolean> {
  const clouds = await startClouds()
  const ports = [clouds.few, clouds.many, clouds.moto].map(({ port }) => `cloud=127.0.0.1:${port}`)
  try {
    const platform = await startPlatform(say, { CC_PRIVATE_HOSTS: ports.join(',') })
    try {
      return await measure(platform, clouds)
    } finally {
      await platform.stop()
    }
  } finally {
    await clouds.stop()
  }
}

type Figure = { what: string; is: string; bar: string; holds: boolean }

async function measure(platform: Platform, { few, many, moto }: BenchClouds): Promise<boolean> {
  say(`${cpus().length} processors`)
  // The worker is ready before all of its parts are loaded.
  await sleep(settledMs)
  const memory = watchMemory(() => ({ worker: platform.pids()['worker'] ?? 0 }))
  const gained = () => memory.gained()['worker'] ?? 0
  const figures: Figure[] = []
  const note = (figure: Figure) => {
    say(`${figure.what}: ${figure.is}`)
    figures.push(figure)
  }

  await connectAndSync(platform, few)
  note(memoryFigure(few, gained()))
  const first = await connectAndSync(platform, many)
  note(memoryFigure(many, gained()))
  for (const figure of await unchanged(platform, { cloud: many, ...first })) note(figure)
  for (const figure of await besideCopy(platform, many, first.sync)) note(figure)

  const { sync } = await connectAndSync(platform, moto)
  memory.stop()
  const bare = await barePaging(moto)
  note(rateFigure('moto, of the bare loop', { cloud: moto, sync, bare, bar: bars.ofMoto }))

  const rows = figures.map(({ what, is, bar, holds }) => [what, is, bar, holds ? 'ok' : 'OVER'])
  say(`\n${table([['', 'is', 'bar', ''], ...rows])}\n`)
  return figures.every(({ holds }) => holds)
}

const memoryFigure = ({ count }: BenchCloud, mb: number): Figure => ({
  what: `worker's memory above its start, up to ${count} resources`,
  is: `${mb.toFixed(0)} MB`,
  bar: `${bars.memoryMb} MB`,
  holds: mb <= bars.memoryMb,
})

async function unchanged(
  platform: Platform,
  { cloud, url, sync: first }: { cloud: BenchCloud; url: string; sync: TimedSync },
): Promise<Figure[]> {
  const before = await rowsWritten(platform)
  const again = await syncAgain(platform, url, cloud)
  const tables = writtenSince(before, await rowsWritten(platform))
  say(`an unchanged sync wrote: ${tables.map(([name, rows]) => `${name} ${rows}`).join(', ')}`)
  const sum = (of: typeof tables) => of.reduce((rows, [, more]) => rows + more, 0)
  const written = sum(tables.filter(([name]) => tablesOfPlaces.has(name)))
  const faster = first.seconds / again.seconds
  return [
    {
      what: `an unchanged sync, rows written for a place (${sum(tables)} with those of the sync)`,
      is: String(written),
      bar: String(bars.rows),
      holds: written <= bars.rows,
    },
    {
      what: `an unchanged sync, times as fast as the first (${again.seconds.toFixed(1)} s, ${first.seconds.toFixed(1)} s)`,
      is: faster.toFixed(2),
      bar: String(bars.faster),
      holds: faster >= bars.faster,
    },
  ]
}

async function besideCopy(
  { config }: Platform,
  cloud: BenchCloud,
  sync: TimedSync,
): Promise<Figure[]> {
  const databaseUrl = config.databaseUrl.reveal()
  const paged = await barePaging(cloud)
  say(`the bare loop alone takes ${paged.seconds.toFixed(1)} s for ${cloud.count} ready resources`)
  const plain = await bareCopy(cloud, { databaseUrl, indexes: false })
  const indexed = await bareCopy(cloud, { databaseUrl, indexes: true })
  const figure = (what: string, bare: { seconds: number }) =>
    rateFigure(what, { cloud, sync, bare, bar: bars.ofCopy })
  return [
    figure('ready pages, of a bare loop with COPY and our indexes', indexed),
    figure('ready pages, of a bare loop with COPY and no index', plain),
  ]
}

type Rates = { cloud: BenchCloud; sync: TimedSync; bare: { seconds: number }; bar: number }

function rateFigure(what: string, { cloud, sync, bare, bar }: Rates): Figure {
  const [own, other] = [sync, bare].map(({ seconds }) => cloud.count / seconds)
  const share = bare.seconds / sync.seconds
  return {
    what: `${what} (${own?.toFixed(0)} and ${other?.toFixed(0)} resources/s)`,
    is: share.toFixed(2),
    bar: String(bar),
    holds: share >= bar,
  }
}
