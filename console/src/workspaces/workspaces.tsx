import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { workspacesQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { FilterBox, foundWords, useAddressFilter } from '../parts/filter-box.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { WorkspaceRow } from './workspace-row.tsx'

const route = getRouteApi('/app/workspaces')

export function WorkspacesPage() {
  const search = route.useSearch()
  const { create = false } = search
  const navigate = useNavigate()
  const { may } = useMe()
  const { filter, setFilter, q } = useAddressFilter(
    search.q,
    (to) => void navigate({ to: '/workspaces', search: { ...(to && { q: to }) }, replace: true }),
  )
  const query = useInfiniteQuery(workspacesQuery(q))
  const all = query.data?.pages.flatMap((page) => page.workspaces) ?? []
  const setCreate = (open: boolean) =>
    void navigate({
      to: '/workspaces',
      search: { ...(q && { q }), ...(open && { create: true }) },
      replace: true,
    })
  const createButton = may('mutate_infra') && (
    <Button tone="primary" data-key="c" onClick={() => setCreate(true)}>
      New workspace
    </Button>
  )
  return (
    <>
      <PageHead title="Workspaces" actions={(all.length > 0 || q !== '') && createButton} />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="workspaces" />}
      {query.isSuccess && all.length === 0 && q === '' && (
        <Empty title="No workspaces yet">
          <p>
            A workspace holds the files, the variables and the state of one piece of infrastructure.
          </p>
          {createButton || (
            <p>Ask a person with the role Deployer or higher to create the first one.</p>
          )}
        </Empty>
      )}
      {(all.length > 0 || filter !== '') && (
        <FilterBox
          label="Filter by name"
          value={filter}
          onChange={setFilter}
          found={foundWords(all.length, query.hasNextPage)}
        />
      )}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.workspaces.map((workspace) => (
            <WorkspaceRow key={workspace.id} workspace={workspace} />
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
      {create && <CreateDialog onClose={() => setCreate(false)} />}
    </>
  )
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: (form: FormData) =>
      call('createWorkspace', {
        body: {
          name: textIn(form, 'name'),
          criticality: textIn(form, 'criticality') === 'production' ? 'production' : 'standard',
          // A plan that destroys something waits, until somebody chooses otherwise in the settings.
          confirm: 'destroys',
        },
      }),
    onSuccess: async ({ workspace }) => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', 'list'] })
      // Replaces the history entry, so that the Back button leads to the list and not to this dialog.
      await navigate({ to: '/workspaces', search: {}, replace: true })
      await navigate({
        to: '/workspaces/$id',
        params: { id: workspace.id },
        search: { tab: 'files' },
      })
    },
  })
  return (
    <FormDialog
      title="New workspace"
      act="Create workspace"
      doing={create}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={63}
        pattern="[a-z0-9][a-z0-9\-]*"
        autoComplete="off"
        hint="Lower-case letters, digits and hyphens."
      />
      <Select
        label="Criticality"
        name="criticality"
        hint="Production waits for a second person before anything is applied."
      >
        <option value="standard">standard</option>
        <option value="production">production</option>
      </Select>
    </FormDialog>
  )
}
