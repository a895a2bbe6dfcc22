import { useCallback, useSyncExternalStore } from 'react'

/** Without localStorage, what is kept lasts until the page is closed. */
const memory = new Map<string, string>()
const told = new Set<() => void>()

export function readKept(key: string): string | null {
  try {
    return memory.get(key) ?? localStorage.getItem(key)
  } catch {
    return null
  }
}

function keepText(key: string, value: string): void {
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

/** A text that this browser keeps under the key. */
export function useKept(key: string): [string | null, (value: string) => void] {
  const kept = useSyncExternalStore(subscribe, () => readKept(key))
  return [kept, useCallback((value: string) => keepText(key, value), [key])]
}
