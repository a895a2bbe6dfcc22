import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Saml } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote } from '../parts/notes.tsx'
import { Time } from '../parts/time.tsx'
import { SsoMappingDialog } from './sso-mapping-dialog.tsx'
import { SsoProviderDialog } from './sso-provider-dialog.tsx'

/** The settings of the identity provider, whether it is enabled, and its certificates. */
export function SsoProvider({ saml, requireSso }: { saml: Saml | null; requireSso: boolean }) {
  const [open, setOpen] = useState<'provider' | 'mapping' | 'disable'>()
  const close = () => setOpen(undefined)
  const queryClient = useQueryClient()
  const enable = useMutation({
    mutationFn: (enabled: boolean) => call('enableSaml', { body: { enabled } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      close()
    },
  })
  const test = useMutation({
    mutationFn: () => call('testSaml', {}),
    onSuccess: ({ redirectUrl }) => globalThis.location.assign(redirectUrl),
  })
  if (!saml)
    return (
      <section className="section">
        <Empty title="No identity provider yet">
          <p>
            Let people sign in with Okta, Entra ID, Google Workspace, Keycloak or another identity
            provider that supports SAML 2.0. Nothing changes for anybody until you enable it.
          </p>
          <Button tone="primary" onClick={() => setOpen('provider')}>
            Set up an identity provider
          </Button>
        </Empty>
        {open && <SsoProviderDialog saml={null} onClose={close} />}
      </section>
    )
  return (
    <section className="section" aria-labelledby="idp-title">
      <div className="list-head">
        <h2 id="idp-title">
          Identity provider{' '}
          <span className={`badge ${saml.enabled ? 'good' : 'quiet'}`}>
            {saml.enabled ? '✓ enabled' : 'disabled'}
          </span>
        </h2>
        <div className="actions">
          <Button busy={test.isPending || test.isSuccess} onClick={() => test.mutate()}>
            Test sign-in
          </Button>
          {saml.enabled ? (
            <Button onClick={() => setOpen('disable')}>Disable…</Button>
          ) : (
            <Button tone="primary" busy={enable.isPending} onClick={() => enable.mutate(true)}>
              Enable
            </Button>
          )}
        </div>
      </div>
      <ErrorNote error={test.error ?? (open === 'disable' ? null : enable.error)} />
      {saml.signsInUpTo !== 'Owner' && (
        <p className="note warn">
          The person who last saved or enabled this identity provider counts as {saml.signsInUpTo}.
          It signs in nobody with a higher role until an Owner saves it again.
        </p>
      )}
      {saml.warnings.map(({ code, message }) => (
        <p key={code + message} className={`note ${code.includes('expired') ? 'bad' : 'warn'}`}>
          {message}
        </p>
      ))}
      <div className="account-parts">
        <div className="card split">
          <h3>Provider</h3>
          <dl className="pairs">
            <dt>Entity ID</dt>
            <dd>{saml.idpEntityId}</dd>
            <dt>Sign-in URL</dt>
            <dd>{saml.ssoUrl}</dd>
            <dt>Logout URL</dt>
            <dd>{saml.sloUrl ?? <span className="dim">none: signing out ends only here</span>}</dd>
          </dl>
          <div>
            <Button onClick={() => setOpen('provider')}>Change the provider…</Button>
          </div>
        </div>
        <div className="card split">
          <h3>Attributes of a person</h3>
          <dl className="pairs">
            <dt>Address</dt>
            <dd>{saml.attrEmail ?? <span className="dim">the NameID</span>}</dd>
            <dt>Name</dt>
            <dd>{saml.attrName ?? <span className="dim">not taken</span>}</dd>
            <dt>Groups</dt>
            <dd>{saml.attrGroups ?? <span className="dim">not taken</span>}</dd>
            <dt>Role without a group</dt>
            <dd>{saml.defaultRole}</dd>
          </dl>
          <div>
            <Button onClick={() => setOpen('mapping')}>Change the mapping…</Button>
          </div>
        </div>
      </div>
      <DataTable
        label="Certificates of the identity provider"
        rows={saml.certificates.map((one) => ({ ...one, id: one.fingerprint }))}
        columns={[
          {
            title: 'Certificate (SHA-256)',
            render: ({ fingerprint }) => (
              <code title={fingerprint}>{fingerprint.slice(0, 24)}…</code>
            ),
          },
          { title: 'From', look: 'dim', render: ({ notBefore }) => <Time at={notBefore} /> },
          { title: 'Ends', look: 'dim', render: ({ notAfter }) => <Time at={notAfter} /> },
          {
            title: 'State',
            render: ({ state }) => (
              <span className={`badge ${certificateTones[state]}`}>
                {state.replaceAll('_', ' ')}
              </span>
            ),
          },
        ]}
      />
      {open === 'provider' && <SsoProviderDialog saml={saml} onClose={close} />}
      {open === 'mapping' && <SsoMappingDialog saml={saml} onClose={close} />}
      {open === 'disable' && (
        <ConfirmDialog
          title="Disable single sign-on?"
          act="Disable it"
          doing={{ ...enable, mutate: () => enable.mutate(false) }}
          onClose={close}
        >
          <p>
            Nobody can sign in through the identity provider any more. People with a password can
            use it. People without one cannot sign in until single sign-on is enabled again.
          </p>
          {requireSso && <p>Single sign-on is required now: allow passwords first.</p>}
        </ConfirmDialog>
      )}
    </section>
  )
}

const certificateTones: Record<Saml['certificates'][number]['state'], string> = {
  valid: 'good',
  expiring: 'warn',
  expired: 'bad',
  not_yet_valid: 'info',
}
