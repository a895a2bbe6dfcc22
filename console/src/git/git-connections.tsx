import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { gitStatus, providerName } from './git-words.ts'
import { gitConnectionsQuery } from '../api/queries.ts'
import type { GitConnection } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { ConnectGit } from './connect-git.tsx'
import { GitDefaults } from './git-defaults.tsx'

type Open = { what: 'connect' } | { what: 'defaults' | 'disconnect'; connection: GitConnection }

/** The connected repositories: those that store the files of workspaces, and those of applications. */
export function GitConnectionsPage() {
  const { may } = useMe()
  const guardian = may('manage_cloud_accounts')
  const query = useInfiniteQuery(gitConnectionsQuery)
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const validate = useMutation({
    mutationFn: (id: number) => call('validateGitConnection', { params: { id } }),
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['git'] }),
  })
  const connections = query.data?.pages.flatMap((page) => page.connections) ?? []
  const connect = guardian && (
    <Button tone="primary" onClick={() => setOpen({ what: 'connect' })}>
      Connect a repository
    </Button>
  )
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      <ErrorNote error={validate.error} />
      {query.isPending && <Loading what="Git connections" />}
      {query.isSuccess && connections.length === 0 && (
        <Empty title="No Git connections yet">
          <p>
            Connect a repository of GitHub, GitLab or Bitbucket to store the files of your
            workspaces there as commits, or to build an application from it.
          </p>
          {connect || <p>A person with the role SRE · Cloud Admin or higher connects one.</p>}
        </Empty>
      )}
      {connections.length > 0 && (
        <div className="list-head">
          <p className="dim">A branch belongs to one organization: no other can connect it.</p>
          {connect}
        </div>
      )}
      <DataTable
        label="Git connections"
        rows={connections}
        columns={[
          { title: 'Repository', render: (connection) => <Place connection={connection} /> },
          {
            title: 'For',
            render: ({ repoType }) => (repoType === 'infra' ? 'workspaces' : 'an application'),
          },
          { title: 'Status', render: (connection) => <Status connection={connection} /> },
          { title: 'Checked', look: 'dim', render: ({ checkedAt }) => <Time at={checkedAt} /> },
          guardian && {
            title: 'Actions',
            look: 'actions',
            render: (connection) => (
              <>
                <Button
                  aria-label={`Check ${nameOf(connection)}`}
                  busy={validate.isPending && validate.variables === connection.id}
                  onClick={() => validate.mutate(connection.id)}
                >
                  Check
                </Button>
                <Button
                  aria-label={`Change ${nameOf(connection)}`}
                  onClick={() => setOpen({ what: 'defaults', connection })}
                >
                  Change…
                </Button>
                <Button
                  aria-label={`Disconnect ${nameOf(connection)}`}
                  onClick={() => setOpen({ what: 'disconnect', connection })}
                >
                  Disconnect…
                </Button>
              </>
            ),
          },
        ]}
      />
      <LoadMore query={query} />
      {open?.what === 'connect' && <ConnectGit onClose={close} />}
      {open?.what === 'defaults' && <GitDefaults connection={open.connection} onClose={close} />}
      {open?.what === 'disconnect' && <Disconnect connection={open.connection} onClose={close} />}
    </>
  )
}

const nameOf = ({ defaultRepo, host }: GitConnection): string => defaultRepo ?? host

function Place({ connection }: { connection: GitConnection }) {
  const { defaultRepo, defaultBranch, provider, host } = connection
  return (
    <>
      {defaultRepo ?? 'no repository chosen'}
      {defaultBranch && <span className="tag">{defaultBranch}</span>}
      <span className="row-sub">
        {providerName[provider]}, {host}
      </span>
    </>
  )
}

function Status({ connection: { status, statusReason, webhook } }: { connection: GitConnection }) {
  const { tone, words } = gitStatus[status]
  return (
    <>
      <span className={`badge ${tone}`}>{words}</span>
      {statusReason && <span className="row-sub">{statusReason}</span>}
      {webhook.reason && <span className="row-sub">{webhook.reason}</span>}
    </>
  )
}

type DisconnectProps = { connection: GitConnection; onClose: () => void }

function Disconnect({ connection, onClose }: DisconnectProps) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('deleteGitConnection', { params: { id: connection.id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['git'] })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Disconnect ${nameOf(connection)}?`}
      act="Disconnect"
      doing={remove}
      onClose={onClose}
    >
      <p>
        The stored token is deleted, the marker of this organization is removed from the branch, and
        another organization may connect it from then on.
      </p>
      <p>
        The files in the repository stay unchanged. Workspaces that use this connection are not
        committed anywhere until you choose another one. Applications built from it cannot run.
      </p>
    </ConfirmDialog>
  )
}
