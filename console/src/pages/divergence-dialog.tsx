import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { hydrationQuery } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'

type Props = { workspaceId: number; hydrationId: number; onClose: () => void }

/** Somebody changed files in the repository: both sides of each, and whose holds. */
export function DivergenceDialog({ workspaceId: id, hydrationId, onClose }: Props) {
  const queryClient = useQueryClient()
  const query = useQuery(hydrationQuery(id, hydrationId))
  const resolve = useMutation({
    mutationFn: (take: 'ours' | 'theirs') =>
      call('resolveHydration', { params: { id, hydrationId }, body: { take } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces', id] })
      onClose()
    },
  })
  const differences = query.data?.hydration.differences ?? []
  const busy = (take: 'ours' | 'theirs') => resolve.isPending && resolve.variables === take
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="The repository was changed by somebody else"
      description={
        <p>
          Write over exactly what is shown here, or make it the next version of this workspace. Who
          takes it is among its authors and does not approve its run.
        </p>
      }
    >
      {query.isPending && <Loading what="both sides" />}
      <div className="stack">
        {differences.map(({ path, ours, theirs }) => (
          <section key={path} className="difference">
            <h3>
              <code>{path}</code>
            </h3>
            <Side name="In the repository" text={theirs} />
            <Side name="Here" text={ours} />
          </section>
        ))}
        <ErrorNote error={query.error ?? resolve.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" busy={busy('ours')} onClick={() => resolve.mutate('ours')}>
            Write over it
          </Button>
          <Button tone="primary" busy={busy('theirs')} onClick={() => resolve.mutate('theirs')}>
            Take the repository’s
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Side({ name, text }: { name: string; text: string | null }) {
  return (
    <div>
      <p className="dim">{name}</p>
      {text === null ? (
        <p className="dim">The file is not there.</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- WCAG 2.1.1: else no key scrolls it
        <pre tabIndex={0} className="side-text">
          {text}
        </pre>
      )}
    </div>
  )
}
