import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, type Answer } from '../api/call.ts'
import { outputsQuery, resourcesQuery, stateVersionsQuery } from '../api/queries.ts'
import type { Workspace } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore } from '../parts/pages.tsx'
import { Time } from '../parts/time.tsx'
import { OutputTable } from './output-table.tsx'
import { plainText } from '../parts/plain-text.ts'
import { useNewState } from './use-new-state.ts'

/** The outputs, the resources and the versions of the state. */
export function State({ workspace }: { workspace: Workspace }) {
  if (workspace.stateSerial === null)
    return (
      <Empty title="No state yet">
        <p>
          The first apply writes the state. A local tofu can write it too: this workspace is an http
          backend.
        </p>
      </Empty>
    )
  return <NewestState workspace={workspace} />
}

function NewestState({ workspace }: { workspace: Workspace }) {
  const { may } = useMe()
  useNewState(workspace)
  return (
    <>
      <Outputs id={workspace.id} />
      <Resources id={workspace.id} />
      {may('mutate_infra') && <Versions workspace={workspace} />}
    </>
  )
}

function Outputs({ id }: { id: number }) {
  const query = useInfiniteQuery(outputsQuery(id))
  const outputs = query.data?.pages.flatMap((page) => page.outputs) ?? []
  const omitted = query.data?.pages[0]?.omittedOutputs ?? 0
  return (
    <section className="section">
      <h2>Outputs</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="outputs" />}
      {query.isSuccess && outputs.length === 0 && (
        <p className="dim">The files declare no outputs.</p>
      )}
      {outputs.length > 0 && <OutputTable outputs={outputs} />}
      {omitted > 0 && (
        <p className="dim">
          {plural(omitted, 'more output')} not shown. <code>tofu output</code> lists all.
        </p>
      )}
      <LoadMore query={query} byHand />
    </section>
  )
}

function Resources({ id }: { id: number }) {
  const { may } = useMe()
  const query = useInfiniteQuery(resourcesQuery(id))
  const resources = query.data?.pages.flatMap((page) => page.resources) ?? []
  const omitted = query.data?.pages[0]?.omittedResources ?? 0
  return (
    <section className="section">
      <h2>Resources</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isSuccess && resources.length === 0 && <p className="dim">None.</p>}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.resources.map(({ address, mode, cloudId }) => (
            <li key={address} className="row low">
              <code className="address row-main">
                {cloudId === null ? (
                  plainText(address)
                ) : (
                  // A search takes 200 characters: the end of an id tells it from others.
                  <Link to="/clouds/resources" search={{ q: cloudId.slice(-200) }}>
                    {plainText(address)}
                  </Link>
                )}
              </code>
              {mode === 'data' && <span className="dim">read only</span>}
            </li>
          ))
        }
      </PagedRows>
      {omitted > 0 && (
        <p className="dim">
          {plural(omitted, 'more resource')} not shown. <code>tofu state list</code> lists all.
        </p>
      )}
      {/* Below stand the versions, for who may see them. */}
      <LoadMore query={query} byHand={may('mutate_infra')} />
    </section>
  )
}

function Versions({ workspace: { id } }: { workspace: Workspace }) {
  const { may } = useMe()
  const query = useInfiniteQuery(stateVersionsQuery(id))
  // Newest first. A serial is unique only within a lineage, so the id identifies a version.
  const versions = query.data?.pages.flatMap((page) => page.versions) ?? []
  const currentId = versions.find(({ status }) => status === 'finalized')?.id
  return (
    <section className="section">
      <h2>Versions of the state</h2>
      <ErrorNote error={query.error} />
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.versions.map((version) => (
            <li key={version.id} className="row">
              <span className="row-main">
                <VersionTitle id={id} version={version} isCurrent={version.id === currentId} />
                <span className="row-sub">
                  by {version.createdBy}
                  {version.reason && `, ${version.reason.replaceAll('_', ' ')}`}
                </span>
              </span>
              <span className="row-time">
                <Time at={version.createdAt} />
              </span>
              {may('manage_cloud_accounts') &&
                version.status === 'finalized' &&
                version.id !== currentId && (
                  <ConfirmButton
                    label="Restore…"
                    name={`Restore version ${version.serial}`}
                    title={`Make version ${version.serial} the current state?`}
                    act="Restore"
                    run={() =>
                      call('restoreState', {
                        params: { id, serial: version.serial },
                        query: { lineage: version.lineage },
                        body: {},
                      })
                    }
                    refresh={['workspaces', id]}
                  >
                    It becomes a new version. Nothing changes in the cloud. A waiting approval
                    becomes void, and you become an author of the next run.
                  </ConfirmButton>
                )}
              {may('manage_cloud_accounts') && version.status === 'finalized' && (
                <ConfirmButton
                  label="New lineage…"
                  name={`Restore version ${version.serial} with a new lineage`}
                  title={`Begin a new lineage with version ${version.serial}?`}
                  act="Begin a new lineage"
                  run={() =>
                    call('restoreState', {
                      params: { id, serial: version.serial },
                      query: { lineage: version.lineage },
                      body: { newLineage: true },
                    })
                  }
                  refresh={['workspaces', id]}
                >
                  It becomes the current state with serial 1 and a lineage of its own. Use it where
                  the serial is too high for another apply. Copies of the state elsewhere no longer
                  follow it.
                </ConfirmButton>
              )}
            </li>
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
    </section>
  )
}

type TitleProps = {
  id: number
  version: Answer<'listStateVersions'>['versions'][number]
  isCurrent: boolean
}

function VersionTitle({ id, version, isCurrent }: TitleProps) {
  return (
    <span className="row-title">
      <Link to="/workspaces/$id" params={{ id }} search={{ tab: 'state', version: version.id }}>
        Version <span className="num">{version.serial}</span>
      </Link>
      {isCurrent && <span className="tag">current</span>}
      {version.status === 'quarantined' && <span className="tag bad">quarantined</span>}
    </span>
  )
}
