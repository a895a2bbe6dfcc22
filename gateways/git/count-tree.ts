import { conflict } from '../../domain/errors.ts'

export type TreeCount = {
  entries: number
  /** Of all files, without what git saves by packing them. */
  bytes: number
  /** Paths of submodules, which are not fetched, as git quotes them: at most 20. */
  submodules: string[]
}

export type TreeCounter = {
  /** A line of `git ls-tree -r -l`. Throws `source_too_large` past a limit. */
  add(line: string): void
  count(): TreeCount
}

const maxSubmodulesShown = 20

/**
 * Counts what a tree would be as files. Lines that are no entries count too, and git quotes what is no
 * printable character, so no name can hide an entry.
 */
export function countTree(limits: { maxEntries: number; maxBytes: number }): TreeCounter {
  let [entries, bytes] = [0, 0]
  const submodules: string[] = []
  return {
    add(line) {
      entries += 1
      const [, mode, size, path = ''] = entryForm.exec(line) ?? []
      bytes += Number(size ?? 0) || 0
      if (mode === '160000' && submodules.length < maxSubmodulesShown) submodules.push(path)
      if (entries > limits.maxEntries)
        throw tooLarge(`more than ${limits.maxEntries.toLocaleString('en')} files`)
      if (bytes > limits.maxBytes)
        throw tooLarge(`more than ${limits.maxBytes / 1024 ** 3} GiB of files`)
    },
    count: () => ({ entries, bytes, submodules }),
  }
}

/** `100644 blob <id>    1234\tpath`; a submodule has `-` for its size. */
const entryForm = /^(\d{6}) \w+ [0-9a-f]+ +(\d+|-)\t(.*)$/

const tooLarge = (what: string) =>
  conflict('source_too_large', `The commit has ${what}, which is more than is built.`)
