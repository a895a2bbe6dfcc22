const limits = {
  memory: 'it used more memory than a run may use',
  disk: 'its work folder is full',
} as const

/** What people are told of a program that did not end by itself; undefined where it did. */
export function howKilled({ how, signal, limit }: Killed): string | undefined {
  if (how !== 'killed' && signal === null) return undefined
  return `was killed: ${limit ? limits[limit] : (signal ?? 'SIGKILL')}`
}

/** What people are told of a step that was ended for its memory. */
export const stepMemoryExceeded = (command: string): string =>
  `tofu ${command} and the programs that it started used more memory than a run may use (4 GiB), shared memory included. Have them use less, or split the workspace.`

type Killed = { how: string; signal: string | null; limit?: keyof typeof limits }
