import { useState } from 'react'
import { call } from '../api/call.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import type { Channel } from './queries.ts'

/** Makes a new secret of a webhook and shows it once. */
export function RotateSecret({ channel: { id, name } }: { channel: Channel }) {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <ConfirmButton
        label="New secret…"
        name={`New secret of ${name}`}
        title={`A new secret of ${name}?`}
        act="Make a new secret"
        run={async () => {
          const made = await call('rotateNotificationSecret', { params: { id } })
          setSecret(made.secret)
        }}
        refresh={['notifications']}
      >
        Messages are signed with both secrets for 24 hours. After that the old one is not used any
        more.
      </ConfirmButton>
      {secret !== undefined && (
        <SecretOnce
          title="The new secret of the signatures"
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          Copy it now into the receiver. It cannot be shown again. The old secret works for another
          24 hours.
        </SecretOnce>
      )}
    </>
  )
}
