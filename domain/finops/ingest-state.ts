export type IngestTrigger = 'schedule' | 'request' | 'connect' | 'upload'
export type IngestState = 'running' | 'succeeded' | 'partial' | 'failed'
export type SourceState = 'waiting' | 'loaded' | 'unchanged' | 'partial' | 'failed' | 'skipped'
export type SliceState =
  | 'reading'
  | 'loaded'
  | 'unchanged'
  | 'waiting'
  | 'refused'
  | 'suspect'
  | 'discarded'
  | 'superseded'

const good: ReadonlySet<SliceState> = new Set(['loaded', 'superseded'])
const bad: ReadonlySet<SliceState> = new Set(['refused', 'suspect'])

/**
 * What became of a source in an ingest, by its slices there. A slice that was loaded and replaced in the
 * same ingest is `superseded`; one that a person discarded is settled.
 */
export function stateOfSource(slices: readonly SliceState[]): Exclude<SourceState, 'skipped'> {
  const loaded = slices.some((state) => good.has(state))
  if (slices.some((state) => bad.has(state))) return loaded ? 'partial' : 'failed'
  return loaded ? 'loaded' : 'unchanged'
}

/** `failed`: of what changed nothing was loaded. A source that was skipped or waits is no fault. */
export function stateOfIngest(sources: readonly SourceState[]): Exclude<IngestState, 'running'> {
  const some = (...states: SourceState[]) => sources.some((state) => states.includes(state))
  if (!some('failed', 'partial')) return 'succeeded'
  return some('loaded', 'partial') ? 'partial' : 'failed'
}
