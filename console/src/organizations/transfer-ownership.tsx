import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { useSettled } from '../parts/filter-box.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { NamePicker, type Named } from '../parts/name-picker.tsx'

/** Gives the organization to another person. It asks for the password, as the service does. */
export function TransferOwnership() {
  const [open, setOpen] = useState(false)
  const [told, setTold] = useState('')
  return (
    <section className="section danger-zone" aria-labelledby="transfer-title">
      <h2 id="transfer-title">Ownership</h2>
      <p className="dim">
        Another person becomes the Owner. You become an Org Admin, and cannot take it back yourself.
      </p>
      <div className="bar">
        <Button tone="danger" onClick={() => setOpen(true)}>
          Transfer the organization…
        </Button>
        <span role="status">{told}</span>
      </div>
      {open && <TransferDialog onDone={setTold} onClose={() => setOpen(false)} />}
    </section>
  )
}

type Props = { onDone: (words: string) => void; onClose: () => void }

function TransferDialog({ onDone, onClose }: Props) {
  const { organization } = useMe()
  const queryClient = useQueryClient()
  const [heir, setHeir] = useState<Named>()
  const transfer = useMutation({
    mutationFn: (form: FormData) => {
      if (!heir) throw new Error('Choose a person of the list.')
      return call('transferOwnership', {
        body: { userId: heir.id, password: textIn(form, 'password') },
      })
    },
    onSuccess: async () => {
      onDone(`${heir?.name ?? 'The person'} is the Owner now.`)
      onClose()
      await queryClient.invalidateQueries()
    },
  })
  return (
    <FormDialog
      title={`Transfer ${organization.name}?`}
      description={
        heir
          ? `${heir.name} becomes the Owner, and you become an Org Admin.`
          : 'Choose who becomes the Owner. You become an Org Admin.'
      }
      act="Transfer it"
      tone="danger"
      mayAct={heir !== undefined}
      doing={transfer}
      onSubmit={(form) => transfer.mutate(form)}
      onClose={onClose}
    >
      <HeirPicker heir={heir} onChoose={setHeir} />
      <Field
        label="Your password"
        name="password"
        type="password"
        required
        maxLength={1_000}
        autoComplete="current-password"
        hint="So that nobody else at your screen can give the organization away."
      />
    </FormDialog>
  )
}

type PickerProps = { heir: Named | undefined; onChoose: (heir: Named | undefined) => void }

function HeirPicker({ heir, onChoose }: PickerProps) {
  const { user } = useMe()
  const [typed, setTyped] = useState<string>()
  const q = useSettled(typed ?? '')
  const found = useQuery({
    queryKey: ['offered', 'people', q],
    queryFn: ({ signal }) => call('listUsers', { query: { limit: 8, q: q || undefined }, signal }),
    enabled: typed !== undefined,
    placeholderData: keepPreviousData,
  })
  // Nobody transfers it to themselves, or to a person who cannot sign in.
  const offered = (found.data?.users ?? []).filter(({ id, active }) => id !== user.id && active)
  return (
    <>
      <NamePicker
        label="New Owner"
        placeholder="name"
        chosen={heir?.name}
        options={offered}
        onType={setTyped}
        onChoose={(id) => onChoose(offered.find((person) => person.id === id))}
      />
      <ErrorNote error={found.error} />
    </>
  )
}
