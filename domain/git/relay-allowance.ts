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

type Named = { sources: ModuleSource[]; refs: Set<string>; names: Set<string>; isAny: boolean }

/**
 * What is asked for each ref that a host lists is one look-up: a configuration and its modules can name 30,000 refs of
 * a repository, and a host can list 50,000.
 */
export function relayAllowance(sources: Iterable<ModuleSource>): RelayAllowance {
  const named = new Map<string, Named>()
  const add = (more: Iterable<ModuleSource>) => {
    for (const source of more) {
      const key = keyOf(source.host, source.repository)
      const found: Named = named.get(key) ?? {
        sources: [],
        refs: new Set(),
        names: new Set(),
        isAny: false,
      }
      named.set(key, found)
      found.sources.push(source)
      if (source.ref !== undefined) addRef(found, source.ref)
    }
  }
  add(sources)
  return {
    add,
    all: () => [...named.values()].flatMap((one) => one.sources),
    refsOf(host, repository) {
      const found = named.get(keyOf(host, repository))
      return (
        found && {
          hasCommit: (id) => found.refs.has(id),
          has: (refName) => found.isAny || found.names.has(refName),
        }
      )
    },
  }
}

function addRef(named: Named, ref: string): void {
  if (named.refs.has(ref)) return
  named.refs.add(ref)
  for (const start of ['', 'refs/', 'refs/heads/', 'refs/tags/']) named.names.add(`${start}${ref}`)
  // A commit may be on any branch, and OpenTofu clones all of them to find it.
  named.isAny ||= ref === anyRef || isCommit(ref)
}
