import { setTimeout as sleep } from 'node:timers/promises'
import { building } from '../../test/harness/git/application-of.ts'
import { benchConfig } from '../config.ts'
import { atMost, median, p95, type Held } from '../figures.ts'
import { openApplication, type Stage } from './application.ts'
import type { World } from './world.ts'

const rounds = benchConfig.rounds(40)
const warmUpRounds = benchConfig.warmUpRounds(3)
const repository = 'acme/shop'
/** The limit: a push is seen as a run at once. */
const mayTakeMs = 1_000
const patienceMs = 60_000

type Run = { id: number; state: string; endMessage: string | null; stages: Stage[] }

/** From the delivery of a push until the source of its run is fetched, by the clock of one machine. */
export async function pushToSource(world: World): Promise<Held[]> {
  const pipelineId = await makePipeline(world)
  const tookMs: number[] = []
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const took = await pushOnce({ ...world, pipelineId }, round)
    if (round >= 0) tookMs.push(took)
  }
  return [
    atMost(
      `delivery of a push until its source is fetched, p95, median ${median(tookMs).toFixed(0)} ms`,
      [p95(tookMs), mayTakeMs],
      'ms',
    ),
  ]
}

async function makePipeline({ platform: { call }, peer }: World): Promise<number> {
  const { pipelineId: id } = await openApplication(
    { call, peer },
    {
      repository,
      files: building('mkdir dist; echo one > dist/x'),
      triggers: { push: true },
    },
  )
  await until(async () => {
    const { body } = await call('GET', `/pipelines/${id}`)
    return (body['pipeline'] as { webhook: { state: string } }).webhook.state === 'active'
  })
  return id
}

async function pushOnce(
  { platform, peer, pipelineId }: World & { pipelineId: number },
  round: number,
): Promise<number> {
  await peer.edit(repository, { write: { word: `round ${round}` } })
  const before = await newest(platform, pipelineId)
  const sentAt = Date.now()
  const { status, text } = await peer.deliver(repository, { push: 'main' })
  if (status !== 200) throw new Error(`a delivery was answered by ${status}: ${text}`)
  // The whole run, so that the next push finds an idle platform.
  const run = await until(async () => {
    const found = await newest(platform, pipelineId)
    return found && found.id !== before?.id && found.state !== 'running' && found
  })
  const startedAt = run.stages.find(({ name }) => name === 'source')?.startedAt
  if (run.state !== 'succeeded' || !startedAt)
    throw new Error(`a run ended ${run.state}: ${run.endMessage}`)
  return Date.parse(startedAt) - sentAt
}

async function newest({ call }: World['platform'], pipelineId: number): Promise<Run | undefined> {
  const { body } = await call('GET', `/pipelines/${pipelineId}/runs?limit=1`)
  return (body['runs'] as Run[])[0]
}

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) {
    const found = await look()
    if (found) return found
  }
  throw new Error('it never came')
}
