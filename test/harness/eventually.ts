import { setTimeout as sleep } from 'node:timers/promises'

export type Patience = {
  /** How often it looks at most. Looks are counted and not seconds: on a busy machine each takes longer. */
  looks?: number
  everyMs?: number
}

/** Looks until `look` finds something; undefined where it never did. */
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

/** Waits until `look` finds something. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false>,
  patience: Patience = {},
): Promise<T> {
  const found = await lookUntil(look, patience)
  if (found === undefined) throw new Error('it never came')
  return found
}
