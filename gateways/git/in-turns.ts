import { setImmediate as others } from 'node:timers/promises'

/** Does a work whose size a tenant's own host chooses. Others have their turn between its parts. */
export async function inTurns<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const part = work.next()
    if (part.done) return part.value
    await others()
  }
}
