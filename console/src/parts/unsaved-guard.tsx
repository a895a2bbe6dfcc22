import { useBlocker } from '@tanstack/react-router'
import { sessionState } from '../api/session-over.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'

/**
 * Asks for confirmation before a navigation that would lose unsaved input. It lets go once another person
 * signed in over the page: the question would offer them to stay on it.
 */
export function UnsavedGuard({ unsaved, what }: { unsaved: boolean; what: string }) {
  const leaving = useBlocker({
    shouldBlockFn: () => unsaved,
    enableBeforeUnload: () => unsaved && !sessionState().ofAnother,
    withResolver: true,
  })
  if (leaving.status !== 'blocked') return null
  return (
    <ConfirmDialog
      title="Leave without saving?"
      act="Leave"
      cancel="Stay"
      doing={{ isPending: false, error: null, mutate: leaving.proceed }}
      onClose={leaving.reset}
    >
      <p>{what} are not saved, and lost if you leave.</p>
    </ConfirmDialog>
  )
}
