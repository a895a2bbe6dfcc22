import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ChangeEvent } from 'react'
import { call, type Body } from '../api/call.ts'
import type { Saml } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn, TextField } from '../parts/forms.tsx'

type Way = 'metadata' | 'fields'
const ways: ReadonlyArray<[Way, string]> = [
  ['metadata', 'Its metadata (XML)'],
  ['fields', 'Single values'],
]

/** Sets the identity provider, from its metadata or from single values. */
export function SsoProviderDialog({ saml, onClose }: { saml: Saml | null; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [way, setWay] = useState<Way>(saml ? 'fields' : 'metadata')
  const save = useMutation({
    mutationFn: (body: Body<'saveSaml'>) => call('saveSaml', { body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sso'] })
      onClose()
    },
  })
  const submit = (form: FormData) => {
    const text = (name: string) => textIn(form, name).trim()
    const certificate = text('certificate')
    save.mutate(
      way === 'metadata'
        ? { metadataXml: text('metadata') }
        : {
            idpEntityId: text('entity'),
            ssoUrl: text('sso'),
            sloUrl: text('slo') || null,
            ...(certificate && { certificate }),
          },
    )
  }
  return (
    <FormDialog
      title={saml ? 'Change the identity provider' : 'Set up an identity provider'}
      description={
        saml?.enabled ? (
          <p>
            It is enabled. From the moment you save, a person who holds the keys of this provider
            can sign in here as anybody, with at most your own role. Test it afterwards.
          </p>
        ) : undefined
      }
      act={saml?.enabled ? 'Save and trust it' : 'Save'}
      acting="Saving…"
      tone={saml?.enabled ? 'danger' : 'primary'}
      doing={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <fieldset className="ways">
        <legend className="label">From</legend>
        {ways.map(([value, label]) => (
          <label key={value} className="check">
            <input
              type="radio"
              name="way"
              checked={way === value}
              onChange={() => {
                setWay(value)
                // An error of the fields that are gone.
                save.reset()
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {way === 'metadata' ? <MetadataField /> : <Fields saml={saml} />}
    </FormDialog>
  )
}

function MetadataField() {
  const [xml, setXml] = useState('')
  const read = async ({ target: { files } }: ChangeEvent<HTMLInputElement>) => {
    if (files?.[0]) setXml(await files[0].text())
  }
  return (
    <>
      <TextField
        label="Metadata"
        name="metadata"
        className="code-text"
        rows={7}
        required
        spellCheck={false}
        placeholder="<EntityDescriptor …>"
        value={xml}
        onChange={(event) => setXml(event.target.value)}
        hint="Entity ID, addresses and certificates are taken from it."
      />
      <Field
        label="Or a file"
        type="file"
        accept=".xml,application/xml,text/xml"
        onChange={(event) => void read(event)}
      />
    </>
  )
}

function Fields({ saml }: { saml: Saml | null }) {
  return (
    <>
      <Field
        label="Entity ID (issuer)"
        name="entity"
        defaultValue={saml?.idpEntityId}
        required
        maxLength={1_024}
        spellCheck={false}
      />
      <Field
        label="Sign-in URL"
        name="sso"
        type="url"
        defaultValue={saml?.ssoUrl}
        required
        maxLength={2_000}
        placeholder="https://"
      />
      <Field
        label="Logout URL (optional)"
        name="slo"
        type="url"
        defaultValue={saml?.sloUrl ?? ''}
        maxLength={2_000}
        placeholder="https://"
        hint="Without it, signing out ends only the session here."
      />
      <TextField
        label="Signing certificates"
        name="certificate"
        className="code-text"
        rows={4}
        spellCheck={false}
        required={!saml?.certificateSet}
        placeholder="-----BEGIN CERTIFICATE-----"
        hint={
          saml?.certificateSet
            ? 'Leave it empty to keep those that are there. For a change of keys put the old and the new one below each other.'
            : 'PEM or base64; several may stand below each other.'
        }
      />
    </>
  )
}
