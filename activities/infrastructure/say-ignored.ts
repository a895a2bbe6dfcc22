import type { LoadedRun } from './load-run.ts'
import type { StageLog } from '../runs/stage-log.ts'

/** Logs which variables of the workspace its programs do not get, and why. */
export async function sayIgnored(
  log: StageLog,
  { ignoredVariables }: Pick<LoadedRun, 'ignoredVariables'>,
): Promise<void> {
  await log.append(
    ignoredVariables.map((key) => ({
      level: 'warn',
      line: `The environment variable ${key} is ignored: it would change which programs a run starts, or whom they ask. Delete it from the workspace.`,
    })),
  )
}
