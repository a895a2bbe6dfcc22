import { setTimeout as sleep } from 'node:timers/promises'

export type Patience = {
  /**
   * The limit of polls. It counts polls and not seconds, because each poll takes longer on a busy
   * machine.
   */
  looks?: number
  everyMs?: number
}

/** Polls until `look` finds something. Undefined if it never does. */
export async function lookUntil<T>(
  look: () => Promise<T | undefined | false>,
  { looks = 900, everyMs = 100 }: Patience = {},
): Promise<T | undefined> {
  for (let left = looks; left > 0; left -= 1) {
    const found = await look()
    if (found) return found
    await sleep(everyMs)
  }
  return undefined
}

/** Polls until `look` finds something. Throws if it never does. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false>,
  patience: Patience = {},
): Promise<T> {
  const found = await lookUntil(look, patience)
  if (found === undefined) throw new Error('it never came')
  return found
}
