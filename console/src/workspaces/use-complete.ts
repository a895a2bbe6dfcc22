import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { resourcesQuery } from '../api/queries.ts'
import { variablesQuery } from './queries.ts'
import type { Workspace } from '../api/types.ts'
import type { Complete } from '../editor/code-types.ts'
import { completeHcl, namesIn } from './complete-hcl.ts'
import type { FileTexts } from './merge-files.ts'

/** Completes names of the files, the variables of the workspace, and the first resources of its state. */
export function useComplete(workspace: Workspace, files: FileTexts, chosen: string): Complete {
  const { id, stateSerial } = workspace
  const variables = useQuery(variablesQuery(id))
  const resources = useInfiniteQuery({ ...resourcesQuery(id), enabled: stateSerial !== null })
  return (before) => {
    if (!/\.(tf|tofu)$/.test(chosen)) return undefined
    const folder = chosen.slice(0, Math.max(0, chosen.lastIndexOf('/')))
    const known = {
      variables: (variables.data?.variables ?? []).flatMap(({ kind, key }) =>
        kind === 'terraform' ? [key] : [],
      ),
      resources: (resources.data?.pages ?? []).flatMap((page) =>
        page.resources.map(({ address }) => address),
      ),
    }
    return completeHcl(before, namesIn(files, folder, known))
  }
}
