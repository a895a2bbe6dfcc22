import type { Run } from '../api/types.ts'

type Staged = Pick<Run, 'state' | 'stages'>

/** The stage whose log is shown first: the last that began, else the first that is not skipped. */
export const stageOf = ({ stages }: Staged): string =>
  stages.findLast(({ startedAt, name }) => startedAt !== null && name !== 'approve')?.name ??
  stages.find(({ state }) => state !== 'skipped')?.name ??
  stages[0]?.name ??
  'plan'

/** The current stage of a live run. */
export const stageNow = ({ state, stages }: Staged): string | undefined =>
  state === 'running'
    ? stages.find(({ endedAt, state: own }) => endedAt === null && own !== 'skipped')?.name
    : undefined
