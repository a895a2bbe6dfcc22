import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Saml } from '../api/types.ts'
import { AlreadySo } from '../parts/changed-meanwhile.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Button } from '../parts/forms.tsx'

/** Whether people may sign in with a password, or single sign-on is required. */
export function SsoRequired({ saml, requireSso }: { saml: Saml; requireSso: boolean }) {
  const queryClient = useQueryClient()
  // What the dialog asks for, as it was when it opened. Another person may change the setting meanwhile.
  const [wanted, setWanted] = useState<boolean>()
  const change = useMutation({
    mutationFn: (required: boolean) => call('updateSso', { body: { requireSso: required } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      setWanted(undefined)
    },
  })
  const begin = () => {
    change.reset()
    setWanted(!requireSso)
  }
  return (
    <section className="section" aria-labelledby="required-title">
      <div className="list-head">
        <div>
          <h2 id="required-title">
            Passwords{' '}
            <span className={`badge ${requireSso ? 'good' : 'quiet'}`}>
              {requireSso ? '✓ single sign-on is required' : 'allowed beside single sign-on'}
            </span>
          </h2>
          <p className="dim">
            {requireSso
              ? 'Only Owners may sign in with a password, so that they can repair a broken provider.'
              : saml.enabled
                ? 'Test the provider before you require it.'
                : 'It can be required once the identity provider is enabled.'}
          </p>
        </div>
        <Button disabled={!requireSso && !saml.enabled} onClick={begin}>
          {requireSso ? 'Allow passwords…' : 'Require single sign-on…'}
        </Button>
      </div>
      {wanted !== undefined && (
        <ChangeDialog
          wanted={wanted}
          isSo={requireSso === wanted}
          change={change}
          onClose={() => setWanted(undefined)}
        />
      )}
    </section>
  )
}

type DialogProps = {
  wanted: boolean
  /** The setting is already as it is wanted. */
  isSo: boolean
  change: Doing & { mutate: (wanted: boolean) => void }
  onClose: () => void
}
type Doing = { isPending: boolean; isSuccess: boolean; error: Error | null }

/** Explains who can still sign in after the change. */
function ChangeDialog({ wanted, isSo, change, onClose }: DialogProps) {
  const sent = change.isPending || change.isSuccess
  if (isSo && !sent) return <AlreadySo onClose={onClose} />
  return (
    <ConfirmDialog
      title={wanted ? 'Require single sign-on?' : 'Allow passwords again?'}
      act={wanted ? 'Lock passwords out' : 'Allow passwords'}
      tone={wanted ? 'danger' : 'primary'}
      doing={{ ...change, mutate: () => change.mutate(wanted) }}
      onClose={onClose}
    >
      {wanted ? (
        <>
          <p>
            From now on only Owners can sign in with a password. Everybody else signs in through the
            identity provider, and people whom it does not know are locked out.
          </p>
          <p>Existing sessions and API tokens stay valid until they expire.</p>
        </>
      ) : (
        <p>People with a password can sign in with it again, without the identity provider.</p>
      )}
    </ConfirmDialog>
  )
}
