import { isDeepStrictEqual } from 'node:util'

type Aliases = Readonly<Record<string, readonly string[]>>

/** Each tag whose other keys changed, with these keys of before and after: a bill without all of them reads the same. */
export function changedAliases(before: Aliases, after: Aliases): string[] {
  const tags = new Set([...Object.keys(before), ...Object.keys(after)])
  const keys = [...tags].flatMap((tag) => {
    const [was, is] = [ofTag(before, tag), ofTag(after, tag)]
    return isDeepStrictEqual(was, is) ? [] : [tag, ...was, ...is]
  })
  return [...new Set(keys)]
}

// A tag may be called `constructor`.
const ofTag = (aliases: Aliases, tag: string): readonly string[] =>
  Object.hasOwn(aliases, tag) ? (aliases[tag] ?? []) : []
