import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { hydrationStatus } from './git-words.ts'
import { hydrationsQuery } from './queries.ts'
import type { Hydration, Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { DivergenceDialog } from './divergence-dialog.tsx'
import { WorkspaceSource } from './workspace-source.tsx'

/** The source of the workspace's files, and the commit of each version with its state. */
export function WorkspaceGit({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  const { id } = workspace
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(hydrationsQuery(id))
  const [decided, setDecided] = useState<number>()
  const retry = useMutation({
    mutationFn: (hydrationId: number) => call('retryHydration', { params: { id, hydrationId } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['workspaces', id, 'git'] }),
  })
  const hydrations = query.data?.pages.flatMap((page) => page.hydrations) ?? []
  return (
    <>
      <WorkspaceSource key={id} workspace={workspace} />
      {(workspace.source.kind === 'inline' || hydrations.length > 0) && (
        <section className="section" aria-labelledby="hydrations-title">
          <h2 id="hydrations-title">Commits</h2>
          <ErrorNote error={query.error} goesOn />
          <ErrorNote error={retry.error} />
          {query.isPending && <Loading what="the commits" />}
          {query.isSuccess && hydrations.length === 0 && (
            <p className="dim quiet-line">
              No commits yet.{' '}
              {workspace.gitConnectionId === null
                ? 'Choose a connection to commit each new version of the files there.'
                : 'The next version of the files is committed there.'}
            </p>
          )}
          <DataTable
            label="Commits of this workspace"
            rows={hydrations}
            columns={[
              { title: 'Branch', render: (one) => <Written hydration={one} /> },
              { title: 'State', render: (one) => <State hydration={one} /> },
              { title: 'When', look: 'dim', render: ({ createdAt }) => <Time at={createdAt} /> },
              may('mutate_infra') && {
                title: 'Actions',
                look: 'actions',
                render: ({ id: hydrationId, state }) =>
                  state === 'diverged' ? (
                    <Button tone="primary" onClick={() => setDecided(hydrationId)}>
                      Decide…
                    </Button>
                  ) : (
                    state === 'failed' && (
                      <Button
                        busy={retry.isPending && retry.variables === hydrationId}
                        onClick={() => retry.mutate(hydrationId)}
                      >
                        Try again
                      </Button>
                    )
                  ),
              },
            ]}
          />
          <LoadMore query={query} />
        </section>
      )}
      {decided !== undefined && (
        <DivergenceDialog
          workspaceId={id}
          hydrationId={decided}
          onClose={() => setDecided(undefined)}
        />
      )}
    </>
  )
}

function Written({ hydration }: { hydration: Hydration }) {
  const { branch, commitSha, pullRequestUrl } = hydration
  return (
    <>
      <code>{branch}</code>
      <span className="row-sub">
        {commitSha && <code>{commitSha.slice(0, 10)}</code>}
        {pullRequestUrl?.startsWith('https://') && (
          <>
            {commitSha && ' · '}
            <a href={pullRequestUrl} target="_blank" rel="noreferrer">
              pull request
            </a>
          </>
        )}
      </span>
    </>
  )
}

function State({ hydration: { state, reason, decision } }: { hydration: Hydration }) {
  const { tone, words } = hydrationStatus[state]
  return (
    <>
      <span className={`badge ${tone}`}>{words}</span>
      {decision && (
        <span className="tag">{decision === 'ours' ? 'wrote over' : 'took the repository’s'}</span>
      )}
      {reason && reason !== state && <span className="row-sub">{reason}</span>}
    </>
  )
}
