const limits = {
  memory: 'it used more memory than a run may use',
  disk: 'its work folder is full',
} as const

/** What people are told of a program that did not end by itself; undefined where it did. */
export function howKilled({ how, signal, limit }: Killed): string | undefined {
  if (how !== 'killed' && signal === null) return undefined
  return `was killed: ${limit ? limits[limit] : (signal ?? 'SIGKILL')}`
}

type Killed = { how: string; signal: string | null; limit?: keyof typeof limits }
