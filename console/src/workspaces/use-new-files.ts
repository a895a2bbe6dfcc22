import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { configurationQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'

/**
 * Loads the files and their versions again once the workspace, which is polled, names a version above the
 * loaded one. `loaded`: 0 if there was no version, undefined while the first request is under way.
 */
export function useNewFiles(
  { id, configurationVersion }: Workspace,
  loaded: number | undefined,
): void {
  const queryClient = useQueryClient()
  const isBehind = loaded !== undefined && loaded < (configurationVersion ?? 0)
  useEffect(() => {
    if (isBehind)
      // The versions have a key below this one.
      void queryClient.invalidateQueries({ queryKey: configurationQuery(id).queryKey })
    // Once for each version, not for each render: a request that fails is repeated by itself.
  }, [queryClient, id, isBehind, configurationVersion])
}
