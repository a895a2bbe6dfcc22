import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { outputsQuery, resourcesQuery, stateVersionsQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { Scroller } from '../parts/scroller.tsx'

/** What the workspace has made: its outputs, its resources, and every version of its state. */
export function State({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  if (workspace.stateSerial === null)
    return (
      <Empty title="No state yet">
        <p>
          The first apply writes one. Your own tofu can, too: this workspace is an http backend.
        </p>
      </Empty>
    )
  return (
    <>
      <Outputs id={workspace.id} />
      <Resources id={workspace.id} />
      {may('mutate_infra') && <Versions workspace={workspace} />}
    </>
  )
}

function Outputs({ id }: { id: number }) {
  const query = useQuery(outputsQuery(id))
  const outputs = query.data?.outputs ?? []
  return (
    <section className="section">
      <h2>Outputs</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="outputs" />}
      {query.isSuccess && outputs.length === 0 && <p className="dim">The files declare none.</p>}
      {outputs.length > 0 && (
        <Scroller label="Outputs">
          <table>
            <tbody>
              {outputs.map(({ name, value, sensitive }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td>
                    {sensitive ? (
                      <span className="dim">•••• sensitive</span>
                    ) : (
                      <code>{JSON.stringify(value)}</code>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}

function Resources({ id }: { id: number }) {
  const query = useInfiniteQuery(resourcesQuery(id))
  const resources = query.data?.pages.flatMap((page) => page.resources) ?? []
  return (
    <section className="section">
      <h2>Resources</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isSuccess && resources.length === 0 && <p className="dim">None.</p>}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.resources.map(({ address, mode }) => (
            <li key={address} className="row low">
              <code className="address row-main">{address}</code>
              {mode === 'data' && <span className="dim">read only</span>}
            </li>
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
    </section>
  )
}

function Versions({ workspace: { id, stateSerial } }: { workspace: Workspace }) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(stateVersionsQuery(id))
  const restore = useMutation({
    mutationFn: (serial: number) => call('restoreState', { params: { id, serial } }),
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['workspaces', id] }),
  })
  const ask = (serial: number) =>
    confirm(
      `Make version ${serial} the current state, as a new version? A waiting approval is void, and you count as an author of the next run.`,
    ) && restore.mutate(serial)
  return (
    <section className="section">
      <h2>Versions of the state</h2>
      <ErrorNote error={restore.error ?? query.error} />
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.versions.map((version) => (
            <li key={version.id} className="row">
              <span className="num">{version.serial}</span>
              <span className="row-main">
                <span className="row-title">
                  {version.createdBy}
                  {version.serial === stateSerial && version.status === 'finalized' && (
                    <span className="tag">current</span>
                  )}
                  {version.status === 'quarantined' && <span className="tag bad">kept aside</span>}
                </span>
                {version.reason && (
                  <span className="row-sub">{version.reason.replaceAll('_', ' ')}</span>
                )}
              </span>
              <span className="row-time">
                <Time at={version.createdAt} />
              </span>
              {may('manage_cloud_accounts') &&
                version.status === 'finalized' &&
                version.serial !== stateSerial && (
                  <Button
                    aria-label={`Restore version ${version.serial}`}
                    busy={restore.isPending}
                    onClick={() => ask(version.serial)}
                  >
                    Restore…
                  </Button>
                )}
            </li>
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
    </section>
  )
}
