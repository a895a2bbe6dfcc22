import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { useMe } from '../app/session.ts'
import { readLists, type OwnLists } from './own-lists.ts'

/** Without localStorage, the lists last until the page is closed. */
const memory = new Map<string, string>()
const told = new Set<() => void>()

function read(key: string): string | null {
  try {
    return memory.get(key) ?? localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
    memory.delete(key)
  } catch {
    memory.set(key, value)
  }
  for (const tell of told) tell()
}

function subscribe(tell: () => void): () => void {
  told.add(tell)
  // From another tab.
  addEventListener('storage', tell)
  return () => {
    told.delete(tell)
    removeEventListener('storage', tell)
  }
}

/** The lists of the person who is signed in, in this browser. Other people who use it have their own. */
export function useOwnLists() {
  const { user, organization } = useMe()
  const key = `cc-workspaces-${organization.id}-${user.id}`
  const kept = useSyncExternalStore(subscribe, () => read(key))
  const lists = useMemo(() => readLists(kept), [kept])
  const change = useCallback(
    (next: (lists: OwnLists) => OwnLists) =>
      // Read again, because another tab may have changed them.
      write(key, JSON.stringify(next(readLists(read(key))))),
    [key],
  )
  return { lists, change }
}
