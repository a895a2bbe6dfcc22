/**
 * Whether a path fits a pattern as manifests have them: `**` is any number of folders, `*` and `?` stay
 * within one name, and all else is meant as it is written. A pattern that fits a folder fits all that is
 * in it. The time is bounded by the product of both lengths, whatever they are: a regular expression
 * made of a pattern could take exponential time.
 */
export function fitsGlob(pattern: string, path: string): boolean {
  const wanted = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const names = path.split('/').filter((name) => name !== '')
  // Reached: after how many names of the path the pattern up to here can end.
  let reached = new Set([0])
  for (const [at, part] of wanted.entries()) {
    if (reached.size === 0) return false
    reached = isDeep(part)
      ? deeper(reached, names.length, { isLast: at === wanted.length - 1 })
      : new Set([...reached].flatMap((done) => (fitsName(part, names[done]) ? [done + 1] : [])))
  }
  // With names left, the pattern named a folder.
  return reached.size > 0
}

export const fitsAnyGlob = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) => fitsGlob(pattern, path))

const isDeep = (part: string): boolean => /^\*{2,}$/.test(part)

/** At the end `**` stands for what is in a folder, so for at least one name. */
function deeper(reached: Set<number>, count: number, { isLast }: { isLast: boolean }): Set<number> {
  const first = Math.min(...reached) + (isLast ? 1 : 0)
  return new Set(Array.from({ length: Math.max(0, count - first + 1) }, (_, n) => first + n))
}

/** One name by `*` and `?`, going back to the last `*` alone. */
function fitsName(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false
  const [signs, letters] = [Array.from(pattern), Array.from(name)]
  let [at, done] = [0, 0]
  let star: { at: number; done: number } | undefined
  while (done < letters.length) {
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
