const limits = {
  memory: 'it used more memory than a run may use',
  disk: 'its work folder is full',
} as const

/** The message about a program that was killed; undefined if it ended by itself. */
export function howKilled({ how, signal, limit }: Killed): string | undefined {
  if (how !== 'killed' && signal === null) return undefined
  return `was killed: ${limit ? limits[limit] : (signal ?? 'SIGKILL')}`
}

/** The message about a step that was killed for its memory. */
export const stepMemoryExceeded = (command: string): string =>
  `tofu ${command} and the programs that it started used more memory than a run may use (4 GiB, shared memory included) or than the worker's host had left. Have them use less, or split the workspace.`

type Killed = { how: string; signal: string | null; limit?: keyof typeof limits }
