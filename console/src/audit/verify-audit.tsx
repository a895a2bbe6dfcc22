import { useMutation } from '@tanstack/react-query'
import { call, type Answer } from '../api/call.ts'
import { plural } from '../api/words.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** Has the service recompute the hash chain over all entries, and says what it found. */
export function VerifyAudit() {
  const verify = useMutation({ mutationFn: () => call('verifyAuditLog', {}) })
  return (
    <>
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        {verify.isPending ? 'Verifying…' : 'Verify the log'}
      </Button>
      <div role="status" className="audit-proof">
        {verify.data && <Proof proof={verify.data} />}
      </div>
      <ErrorNote error={verify.error} />
    </>
  )
}

function Proof({ proof }: { proof: Answer<'verifyAuditLog'> }) {
  if (proof.ok && proof.throughId === null)
    return (
      <p className="note quiet">
        No entry is sealed yet. An entry is sealed some seconds after it is written.
      </p>
    )
  if (proof.ok)
    return (
      <p className="note good">
        Verified: none of the {plural(proof.entries, 'sealed entry', 'sealed entries')} was changed
        or removed.
      </p>
    )
  return (
    <p className="note bad">
      {proof.brokenAt === undefined
        ? `${plural(proof.missing ?? 0, 'sealed entry is', 'sealed entries are')} missing at the end of the log.`
        : `Entry ${proof.brokenAt} differs from what was sealed, or is missing. ${plural(proof.entries, 'entry', 'entries')} before it ${proof.entries === 1 ? 'is' : 'are'} unchanged.`}{' '}
      Somebody with access to the database changed it. Keep a copy of the database, and compare it
      with a backup.
    </p>
  )
}
