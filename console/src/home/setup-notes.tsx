import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { useKept } from '../parts/kept-in-browser.ts'

export type Setup = NonNullable<Answer<'getConsoleData'>['setup']>

/** What an Owner should know of the installation. Each note goes away with its cause. */
export function SetupNotes({ setup }: { setup: Setup }) {
  const { user, organization } = useMe()
  const [copied, keep] = useKept(`cc-keyring-${organization.id}-${user.id}`)
  const notes: Array<[string, ReactNode]> = []
  if (setup.sandbox === 'process')
    notes.push([
      'sandbox',
      <>
        <strong>Plans and builds run without a sandbox.</strong> Code of a configuration can read
        what the service can read. Install <code>bubblewrap</code> on the machine of the worker,
        then restart the service.
      </>,
    ])
  if (setup.keyringGenerated && copied !== 'copied')
    notes.push([
      'keyring',
      <>
        <strong>Keep a copy of the keys.</strong> They were generated and are in the file{' '}
        <code>keyring</code> of the data folder. Without them, nobody can read the secrets of a
        backup.{' '}
        <Button tone="quiet" onClick={() => keep('copied')}>
          I have a copy
        </Button>
      </>,
    ])
  if (!setup.mailServer)
    notes.push([
      'mail',
      <>
        <strong>This service sends no mail.</strong> Approvers get no message about a run that
        waits, and an invitation is a link that you hand over. Set <code>SMTP_URL</code> to send
        mail.
      </>,
    ])
  if (setup.owners < 2)
    notes.push([
      'owner',
      <>
        <strong>You are the only Owner.</strong> If you lose access, nobody can give it back. Make a
        second person Owner under <Link to="/organization">People</Link>.
      </>,
    ])
  if (notes.length === 0) return null
  return (
    <section className="note warn setup-notes" aria-label="Notes for Owners">
      <ul>
        {notes.map(([name, text]) => (
          <li key={name}>{text}</li>
        ))}
      </ul>
    </section>
  )
}
