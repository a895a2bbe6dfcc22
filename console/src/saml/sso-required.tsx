import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Saml } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Button } from '../parts/forms.tsx'

/** Whether people may sign in with a password, or single sign-on is required. */
export function SsoRequired({ saml, requireSso }: { saml: Saml; requireSso: boolean }) {
  const queryClient = useQueryClient()
  const [open, setOpen] = useState(false)
  const change = useMutation({
    mutationFn: () => call('updateSso', { body: { requireSso: !requireSso } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      setOpen(false)
    },
  })
  const begin = () => {
    change.reset()
    setOpen(true)
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
      {open && (
        <ConfirmDialog
          title={requireSso ? 'Allow passwords again?' : 'Require single sign-on?'}
          act={requireSso ? 'Allow passwords' : 'Lock passwords out'}
          tone={requireSso ? 'primary' : 'danger'}
          doing={change}
          onClose={() => setOpen(false)}
        >
          {requireSso ? (
            <p>People with a password can sign in with it again, without the identity provider.</p>
          ) : (
            <>
              <p>
                From now on only Owners can sign in with a password. Everybody else signs in through
                the identity provider, and people whom it does not know are locked out.
              </p>
              <p>Existing sessions and API tokens stay valid until they expire.</p>
            </>
          )}
        </ConfirmDialog>
      )}
    </section>
  )
}
