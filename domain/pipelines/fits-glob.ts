/**
 * Patterns of paths as manifests have them: `**` is any number of folders, `*` and `?` stay within one name, and all
 * else is meant as it is written. A pattern that fits a folder fits all that is in it.
 */
export type Glob = {
  /**
   * The names that follow one another, and between these stretches one `**` each: the first begins where the path
   * begins. A name is a list of its characters.
   */
  stretches: Signs[][]
}

type Signs = readonly string[]

/** Counts comparisons of two characters, some 6 ns each, so that a match that takes too long can be ended. */
export type Tally = { steps: number }

/** What the comparison of two names takes before it comes to their characters. */
const stepsOfName = 3

/** Neighbours of `**` are joined: two stand for what one stands for. */
export function parseGlob(pattern: string): Glob {
  let stretch: Signs[] = []
  const stretches = [stretch]
  let wasDeep = false
  for (const part of pattern.split('/').filter((name) => name !== '' && name !== '.')) {
    const isDeep = /^\*{2,}$/.test(part)
    if (!isDeep) stretch.push(Array.from(part))
    else if (!wasDeep) stretches.push((stretch = []))
    wasDeep = isDeep
  }
  return { stretches }
}

/** The names of a path, each as its characters. */
export const namesOf = (path: string): Signs[] =>
  path
    .split('/')
    .filter((name) => name !== '')
    .map((name) => Array.from(name))

/**
 * Whether a path fits. Each stretch is looked for after the one before it and taken where it is found first: no later
 * place would leave more of the path to the stretches behind it. So the time is bounded by the product of both lengths,
 * whatever they are: a regular expression made of a pattern could take exponential time.
 */
export function fits({ stretches }: Glob, names: readonly Signs[], tally: Tally): boolean {
  let done = 0
  for (const [at, stretch] of stretches.entries()) {
    const last = at === 0 ? 0 : names.length - stretch.length
    while (!followsAt(stretch, names, { done, tally })) {
      if (done >= last) return false
      done += 1
    }
    done += stretch.length
  }
  // At the end `**` stands for what is in a folder, so for at least one name.
  if (stretches.length > 1 && stretches.at(-1)?.length === 0) return done < names.length
  // With names left, the pattern named a folder.
  return true
}

export const fitsGlob = (pattern: string, path: string): boolean =>
  fits(parseGlob(pattern), namesOf(path), { steps: 0 })

const followsAt = (
  stretch: readonly Signs[],
  names: readonly Signs[],
  { done, tally }: { done: number; tally: Tally },
): boolean => stretch.every((signs, at) => fitsName(signs, names[done + at], tally))

/** One name by `*` and `?`, going back to the last `*` alone. */
function fitsName(signs: Signs, letters: Signs | undefined, tally: Tally): boolean {
  tally.steps += stepsOfName
  if (letters === undefined) return false
  let [at, done] = [0, 0]
  let star: { at: number; done: number } | undefined
  while (done < letters.length) {
    tally.steps += 1
    if (signs[at] === '*') {
      star = { at, done }
      at += 1
    } else if (at < signs.length && (signs[at] === '?' || signs[at] === letters[done])) {
      at += 1
      done += 1
    } else if (star) {
      star.done += 1
      at = star.at + 1
      done = star.done
    } else return false
  }
  return signs.slice(at).every((sign) => sign === '*')
}
