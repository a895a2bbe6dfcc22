import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { settingsQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** The setting `planApproval`: whether production plans files that only their author has seen without an approval. */
export function UnseenPlans() {
  const queryClient = useQueryClient()
  const query = useQuery(settingsQuery)
  const [open, setOpen] = useState(false)
  const guarded = query.data?.planApproval === 'unseen'
  const change = useMutation({
    mutationFn: () =>
      call('updateSettings', { body: { planApproval: guarded ? 'none' : 'unseen' } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
      setOpen(false)
    },
  })
  const begin = () => {
    change.reset()
    setOpen(true)
  }
  if (!query.data) return <ErrorNote error={query.error} goesOn />
  return (
    <section className="section" aria-labelledby="unseen-title">
      <div className="list-head">
        <div>
          <h2 id="unseen-title">
            New files on production{' '}
            <span className={`badge ${guarded ? 'good' : 'quiet'}`}>
              {guarded ? '✓ a second person looks first' : 'planned at once'}
            </span>
          </h2>
          <p className="dim">
            {guarded
              ? 'Files that only their author has seen wait for a second person before they are planned.'
              : 'A plan runs the code of its files with the secrets of the workspace. Nobody but their author has to see them before that.'}
          </p>
        </div>
        <Button onClick={begin}>{guarded ? 'Plan at once…' : 'Ask for a second person…'}</Button>
      </div>
      {open && <ChangeDialog {...{ guarded, change }} onClose={() => setOpen(false)} />}
    </section>
  )
}

type DialogProps = {
  guarded: boolean
  change: { isPending: boolean; error: Error | null; mutate: () => void }
  onClose: () => void
}

/** Explains the setting and the effect of its change on approvals. */
function ChangeDialog({ guarded, change, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={guarded ? 'Plan new files at once?' : 'Ask for a second person before a plan?'}
      act={guarded ? 'Plan at once' : 'Ask for a second person'}
      tone={guarded ? 'danger' : 'primary'}
      doing={change}
      onClose={onClose}
    >
      {guarded ? (
        <p>
          One person alone can then run code with the secrets of a production workspace, by a plan
          that nobody approves. Runs that wait now go on waiting.
        </p>
      ) : (
        <p>
          On production workspaces, each plan of files that only their author has seen waits until a
          person with the role Deployer or higher, who is not their author, lets it be planned.
          Plans of pushes and pull requests wait too.
        </p>
      )}
      <p>
        You become an author of the next production runs, so other people approve those, and
        approvals that were given and not yet used no longer count.
      </p>
    </ConfirmDialog>
  )
}
