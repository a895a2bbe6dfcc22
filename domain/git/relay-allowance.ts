import { anyRef, isCommit, type ModuleSource } from './module-sources.ts'

/** The repositories and refs that a run's module sources name. */
export type RelayAllowance = {
  add(sources: Iterable<ModuleSource>): void
  /** Undefined if nothing names this repository. */
  refsOf(host: string, repository: string): AllowedRefs | undefined
  all(): ModuleSource[]
}

export type AllowedRefs = {
  /** `HEAD` and its branch are always allowed: git needs them to clone. */
  has(refName: string): boolean
  hasCommit(id: string): boolean
}

/** Hosts compare names of owners and repositories ignoring case. */
const keyOf = (host: string, repository: string) => `${host}/${repository}`.toLowerCase()

export function relayAllowance(sources: Iterable<ModuleSource>): RelayAllowance {
  const named = new Map<string, ModuleSource[]>()
  const add = (more: Iterable<ModuleSource>) => {
    for (const source of more) {
      const key = keyOf(source.host, source.repository)
      named.set(key, [...(named.get(key) ?? []), source])
    }
  }
  add(sources)
  return {
    add,
    all: () => [...named.values()].flat(),
    refsOf(host, repository) {
      const found = named.get(keyOf(host, repository))
      if (!found) return undefined
      const refs = new Set(found.map(({ ref }) => ref))
      // A commit may be on any branch, and OpenTofu clones all of them to find it.
      const isAny = refs.has(anyRef) || [...refs].some((ref) => ref !== undefined && isCommit(ref))
      return {
        hasCommit: (id) => refs.has(id),
        has: (refName) =>
          isAny ||
          [...refs].some(
            (ref) =>
              ref !== undefined &&
              [ref, `refs/${ref}`, `refs/heads/${ref}`, `refs/tags/${ref}`].includes(refName),
          ),
      }
    },
  }
}
