import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { hydrationQuery } from './queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Scroller } from '../parts/scroller.tsx'

type Props = { workspaceId: number; hydrationId: number; onClose: () => void }

/** Shows the files that another person changed in the repository, and asks which side to keep. */
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
  const more = query.data?.hydration.omittedDifferences ?? 0
  return (
    <Dialog
      onClose={onClose}
      title="The repository was changed by somebody else"
      description={
        <p>
          Overwrite exactly the changes that are shown here, or take them as the next version of
          this workspace. If you take them, you are one of its authors and cannot approve its run.
        </p>
      }
    >
      {query.isPending && <Loading what="both sides" />}
      <div className="stack">
        {differences.map(({ path, change, diff }) => (
          <section key={path} className="difference">
            <h3>
              <code>{path}</code>
            </h3>
            {diff === null ? (
              <p className="dim">{wholeWords[change]}</p>
            ) : (
              <UnifiedDiff text={diff} label={`What differs in ${path}`} />
            )}
          </section>
        ))}
        {more > 0 && <p className="dim">{moreFiles(more)}</p>}
        {query.isSuccess && differences.length === 0 && (
          <p className="dim">
            An earlier version of this service recorded this without the differences. Open the
            repository to see them.
          </p>
        )}
        <ErrorNote error={query.error ?? resolve.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" busy={resolve.isPending} onClick={() => resolve.mutate('ours')}>
            Write over it
          </Button>
          <Button tone="primary" busy={resolve.isPending} onClick={() => resolve.mutate('theirs')}>
            Take the repository’s
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Shown instead of a line diff: for a file that exists on one side only, or a diff that is too large. */
const wholeWords = {
  removed: 'The file was deleted in the repository and exists in this workspace.',
  added: 'The file exists in the repository and not in this workspace.',
  edited: 'Both sides are too different, or too long, to be shown line by line.',
} as const

const moreFiles = (count: number) =>
  count === 1 ? 'One more file differs.' : `${count} more files differ.`

const tones: Record<string, string> = { '+': 'good-text', '-': 'bad-text', '@': 'dim' }

function UnifiedDiff({ text, label }: { text: string; label: string }) {
  // The index is a stable key, because the lines of a diff never change.
  const lines = text.split('\n').map((line, at) => ({ line, at }))
  return (
    <Scroller label={label} className="diff">
      <pre>
        {lines.map(({ line, at }) => (
          <span key={at} className={tones[line.slice(0, 1)]}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </Scroller>
  )
}
