/** Which files of a folder are released, by the patterns of the manifest. Without `include` all of them. */
export type FileChoice = { include?: readonly string[]; exclude?: readonly string[] }

/**
 * The choice as arguments of `find . -mindepth 1`, for it to see names of any bytes as they are. The
 * folder `.git` is never chosen: it has the history, which nobody asked to release.
 */
export function selectFiles({ include = [], exclude = [] }: FileChoice): string[] {
  const anyOf = (patterns: readonly string[]) => [
    '(',
    ...patterns.flatMap((pattern, at) => [...(at === 0 ? [] : ['-o']), '-regex', regexOf(pattern)]),
    ')',
  ]
  return [
    '-regextype',
    'posix-extended',
    '!',
    ...anyOf(['.git', ...exclude]),
    ...(include.length === 0 ? [] : anyOf(include)),
  ]
}

/**
 * A pattern as an extended regular expression over the whole path, which begins with `./`. `**` is any
 * number of folders, `*` and `?` stay within one name, all else is meant as it is written. A pattern
 * that fits a folder fits all that is in it.
 */
export function regexOf(pattern: string): string {
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.')
  while (segments.length > 1 && isDeep(segments.at(-1))) segments.pop()
  const last = segments.length - 1
  const parts = segments.map((segment, at) => {
    if (isDeep(segment)) return at === last ? '.*' : '(.*/)?'
    return `${nameOf(segment)}${at === last ? '' : '/'}`
  })
  // `.` alone is the folder itself.
  return `\\./${parts.length === 0 ? '.*' : parts.join('')}(/.*)?`
}

const isDeep = (segment: string | undefined): boolean => /^\*{2,}$/.test(segment ?? '')

const nameOf = (segment: string): string =>
  segment.replace(/\*+|\?|[.^$|()[\]{}+\\]/g, (sign) => {
    if (sign.startsWith('*')) return '[^/]*'
    return sign === '?' ? '[^/]' : `\\${sign}`
  })
