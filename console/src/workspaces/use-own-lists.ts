import { useCallback, useMemo } from 'react'
import { useMe } from '../app/session.ts'
import { readKept, useKept } from '../parts/kept-in-browser.ts'
import { readLists, type OwnLists } from './own-lists.ts'

/** The lists of the person who is signed in, in this browser. Other people who use it have their own. */
export function useOwnLists() {
  const { user, organization } = useMe()
  const key = `cc-workspaces-${organization.id}-${user.id}`
  const [kept, keep] = useKept(key)
  const lists = useMemo(() => readLists(kept), [kept])
  const change = useCallback(
    (next: (lists: OwnLists) => OwnLists) =>
      // Read again, because another tab may have changed them.
      keep(JSON.stringify(next(readLists(readKept(key))))),
    [key, keep],
  )
  return { lists, change }
}
