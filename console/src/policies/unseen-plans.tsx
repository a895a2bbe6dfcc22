import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Answer } from '../api/call.ts'
import { settingsQuery } from '../api/queries.ts'
import { AlreadySo } from '../parts/changed-meanwhile.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** The setting `planApproval`: whether production plans files that only their author has seen without an approval. */
export function UnseenPlans() {
  const queryClient = useQueryClient()
  const query = useQuery(settingsQuery)
  // What the dialog asks for, as it was when it opened. Another person may change the setting meanwhile.
  const [wanted, setWanted] = useState<PlanApproval>()
  const change = useMutation({
    mutationFn: (planApproval: PlanApproval) => call('updateSettings', { body: { planApproval } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
      setWanted(undefined)
    },
  })
  if (!query.data) return <ErrorNote error={query.error} goesOn />
  const { planApproval } = query.data
  const guarded = planApproval === 'unseen'
  const begin = () => {
    change.reset()
    setWanted(guarded ? 'none' : 'unseen')
  }
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
              ? 'Files and values of variables that only their author has seen wait for a second person before they are planned. Files with modules from elsewhere wait each time.'
              : 'A plan runs the code of its files with the secrets of the workspace. Nobody but their author has to see them before that.'}
          </p>
        </div>
        <Button onClick={begin}>{guarded ? 'Plan at once…' : 'Ask for a second person…'}</Button>
      </div>
      {wanted && (
        <ChangeDialog
          wanted={wanted}
          isSo={planApproval === wanted}
          change={change}
          onClose={() => setWanted(undefined)}
        />
      )}
    </section>
  )
}

type PlanApproval = Answer<'getSettings'>['planApproval']

type DialogProps = {
  wanted: PlanApproval
  /** The setting is already as it is wanted. */
  isSo: boolean
  change: Doing & { mutate: (wanted: PlanApproval) => void }
  onClose: () => void
}
type Doing = { isPending: boolean; isSuccess: boolean; error: Error | null }

/** Explains the setting and the effect of its change on approvals. */
function ChangeDialog({ wanted, isSo, change, onClose }: DialogProps) {
  const sent = change.isPending || change.isSuccess
  if (isSo && !sent) return <AlreadySo onClose={onClose} />
  const asks = wanted === 'unseen'
  return (
    <ConfirmDialog
      title={asks ? 'Ask for a second person before a plan?' : 'Plan new files at once?'}
      act={asks ? 'Ask for a second person' : 'Plan at once'}
      tone={asks ? 'primary' : 'danger'}
      doing={{ ...change, mutate: () => change.mutate(wanted) }}
      onClose={onClose}
    >
      {asks ? (
        <p>
          On production workspaces, each plan of files or values of variables that only their author
          has seen waits until a person with the role Deployer or higher, who is not their author,
          lets it be planned. Plans of pushes and pull requests wait too. Modules that are not part
          of the files can change, so each plan of files that call such modules waits.
        </p>
      ) : (
        <p>
          One person alone can then run code with the secrets of a production workspace, by a plan
          that nobody approves. Runs that wait now go on waiting.
        </p>
      )}
      <p>
        You become an author of the next production runs, so other people approve those, and
        approvals that were given and not yet used no longer count.
      </p>
    </ConfirmDialog>
  )
}
