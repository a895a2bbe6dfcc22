import { setImmediate as turn } from 'node:timers/promises'

/** How many turns of the event loop others have while some work is done. Without any it is one. */
export async function turnsDuring<Result>(
  work: () => Promise<Result>,
): Promise<{ turns: number; result: Result }> {
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns += 1) await turn()
  })()
  try {
    return { result: await work(), turns }
  } finally {
    isOver = true
    await others
  }
}
