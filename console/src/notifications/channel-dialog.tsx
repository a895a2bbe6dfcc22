import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Body } from '../api/call.ts'
import { scopeOf, ScopeFields, type ScopeKind } from '../cost/scope-fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, Select, textIn } from '../parts/forms.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { channelChange } from './channel-change.ts'
import { EventFields, eventsIn } from './event-fields.tsx'
import { kindWords } from './notification-words.ts'
import type { Channel, ChannelKind } from './queries.ts'
import { RecipientFields, recipientsIn } from './recipient-fields.tsx'

// `Object.keys` returns strings, and the keys of `kindWords` are exactly the kinds.
const kinds = Object.keys(kindWords) as ChannelKind[]

type Props = { channel: Channel | undefined; onClose: () => void }

/** Adds a channel, or changes this one. The secret of a new webhook is shown once. */
export function ChannelDialog({ channel, onClose }: Props) {
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<ChannelKind>(channel?.kind ?? 'email')
  const [scopeKind, setScopeKind] = useState<ScopeKind>(channel?.scopeKind ?? 'all')
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const chosen = { kind, scopeKind }
      if (!channel) return secretOf(await call('createNotification', { body: newOf(form, chosen) }))
      const body = changeOf(form, channel, chosen)
      if (Object.keys(body).length > 0)
        await call('updateNotification', { params: { id: channel.id }, body })
      return undefined
    },
    onSuccess: async (secret) => {
      await queryClient.invalidateQueries({ queryKey: ['notifications'] })
      if (secret === undefined) onClose()
    },
  })
  if (save.data !== undefined)
    return (
      <SecretOnce title="The secret of the signatures" secret={save.data} onClose={onClose}>
        Copy it now into the receiver, which checks with it that a message is from here. It cannot
        be shown again.
      </SecretOnce>
    )
  return (
    <FormDialog
      title={channel ? `Change ${channel.name}` : 'Add a channel'}
      act={channel ? 'Save' : 'Add channel'}
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      {!channel && <KindField kind={kind} onKind={setKind} />}
      <Field label="Name" name="name" required maxLength={100} defaultValue={channel?.name} />
      {kind === 'email' ? (
        <RecipientFields channel={channel} />
      ) : (
        <AddressField kind={kind} channel={channel} />
      )}
      <EventFields events={channel?.events ?? ['*']} />
      <ScopeFields before={channel} kind={scopeKind} onKind={setScopeKind} />
      <Field
        label="Only from this much above the expected cost (optional)"
        name="minimumImpact"
        type="number"
        min="0"
        step="any"
        defaultValue={channel?.minimumImpact ?? ''}
        hint="In the organization’s currency. It holds back small anomalies."
      />
    </FormDialog>
  )
}

type KindProps = { kind: ChannelKind; onKind: (kind: ChannelKind) => void }

function KindField({ kind, onKind }: KindProps) {
  return (
    <Select
      label="Kind"
      value={kind}
      onChange={({ target }) => onKind(kinds.find((one) => one === target.value) ?? 'email')}
    >
      {kinds.map((one) => (
        <option key={one} value={one}>
          {kindWords[one].word}
        </option>
      ))}
    </Select>
  )
}

const secretOf = ({ notification }: { notification: { secret?: string } }) => notification.secret

function AddressField({ kind, channel }: { kind: ChannelKind; channel: Channel | undefined }) {
  return (
    <Field
      key={kind}
      label={channel ? 'New address (optional)' : 'Address'}
      name="url"
      type="url"
      required={!channel}
      maxLength={1_000}
      autoComplete="off"
      spellCheck={false}
      hint={
        channel
          ? `Empty keeps the address at ${channel.url}. It is stored sealed and never shown.`
          : kindWords[kind].urlHint
      }
    />
  )
}

type Chosen = { kind: ChannelKind; scopeKind: ScopeKind }

function sharedOf(form: FormData, { kind, scopeKind }: Chosen) {
  const minimum = textIn(form, 'minimumImpact').trim()
  const url = textIn(form, 'url').trim()
  return {
    name: textIn(form, 'name').trim(),
    scopeKind: scopeKind === 'all' ? null : scopeKind,
    scopeValue: scopeOf(form, scopeKind),
    minimumImpact: minimum === '' ? null : Number(minimum),
    ...(kind === 'email'
      ? {
          recipients: recipientsIn(form),
          digest: form.get('daily') === null ? ('immediate' as const) : ('daily' as const),
        }
      : url !== '' && { url }),
  }
}

const newOf = (form: FormData, chosen: Chosen): Body<'createNotification'> => ({
  ...sharedOf(form, chosen),
  kind: chosen.kind,
  events: eventsIn(form, ['*']) ?? ['*'],
})

function changeOf(form: FormData, channel: Channel, chosen: Chosen): Body<'updateNotification'> {
  const events = eventsIn(form, channel.events)
  return channelChange({ ...sharedOf(form, chosen), ...(events && { events }) }, channel)
}
