import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { outputsQuery, resourcesQuery, stateVersionsQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'

/** Loads what is shown of the state again once the workspace, which is polled, has a newer one. */
export function useNewState({ id, stateSerial }: Workspace): void {
  const queryClient = useQueryClient()
  const { data } = useInfiniteQuery(resourcesQuery(id))
  const loaded = data?.pages[0]?.serial
  const isBehind = loaded !== undefined && (loaded ?? -1) < (stateSerial ?? -1)
  // A state with a new lineage begins with a lower serial, so each change counts too.
  const known = useRef(stateSerial)
  useEffect(() => {
    if (!isBehind && known.current === stateSerial) return
    known.current = stateSerial
    for (const { queryKey } of [outputsQuery(id), resourcesQuery(id), stateVersionsQuery(id)])
      void queryClient.invalidateQueries({ queryKey })
  }, [queryClient, id, stateSerial, isBehind])
}
