import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../api/call.ts'
import type { Person } from '../api/types.ts'
import { CopyButton } from '../parts/copy-line.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'

type Props = { person: Person; onClose: () => void }

/** For a service that sends no mail: the link of an invitation, which the inviter hands over. */
export function InvitationLink({ person: { id, name }, onClose }: Props) {
  const show = useMutation({ mutationFn: () => call('showInvitation', { params: { id } }) })
  const { mutate } = show
  useEffect(() => mutate(), [mutate])
  // In the fragment, as in a mail: a browser sends it to no server.
  const link = show.data && `${location.origin}/invitations/accept#${show.data.invitationToken}`
  return (
    <Dialog title={`Invitation of ${name}`} onClose={link ? () => undefined : onClose}>
      <div className="stack">
        <p>
          This service sends no mail. Give the link to {name} yourself, in a way that nobody else
          can read: the person who opens it chooses the password. It works once, for seven days, and
          is shown only now.
        </p>
        {show.isPending && <Loading what="the link" />}
        <ErrorNote error={show.error} />
        {link && <code className="secret-once">{link}</code>}
        <div className="dialog-actions">
          {link && <CopyButton text={link} what="link" word="Copy link" />}
          <Button tone="primary" onClick={onClose}>
            {link ? 'I have it' : 'Close'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
