import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Choices } from '../parts/choices.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { readAgentLabels } from './agent-labels.ts'
import { AgentLabelsField } from './labels-of-agent.tsx'
import { TokenOfAgent } from './token-of-agent.tsx'

type Kind = 'host' | 'join'
type Props = { workspaceId: number; onClose: () => void }

const kinds = [
  { value: 'host', label: 'One host', words: 'Its token belongs to this host alone.' },
  {
    value: 'join',
    label: 'Many hosts',
    words:
      'One token for an image or a start script. Each host enrolls with it and gets a token of its own.',
  },
] as const

/** Makes the agent of one host, or a token by which many hosts enroll. */
export function AddAgent({ workspaceId, onClose }: Props) {
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<Kind>('host')
  const make = useMutation({
    mutationFn: (form: FormData) => call('createAgent', { body: bodyOf(form, workspaceId, kind) }),
    onSuccess: async () => queryClient.invalidateQueries({ queryKey: ['agents'] }),
  })
  if (make.data)
    return (
      <TokenOfAgent
        title={`Install ${make.data.agent.name}`}
        made={make.data}
        isJoin={make.data.agent.join !== null}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Add an agent"
      act="Make its token"
      doing={make}
      onSubmit={(form) => make.mutate(form)}
      onClose={onClose}
    >
      <Choices
        name="kind"
        legend="For how many hosts?"
        options={kinds}
        value={kind}
        onChange={setKind}
      />
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        title="Letters, digits and . _ - beginning with a letter or digit"
        autoComplete="off"
        hint={kind === 'host' ? 'Of the host, such as web-1.' : 'Of the group, such as web-image.'}
      />
      {kind === 'join' && <JoinFields />}
      <AgentLabelsField />
    </FormDialog>
  )
}

const JoinFields = () => (
  <>
    <Field
      label="Hosts at most"
      name="maxAgents"
      type="number"
      min={1}
      max={1_000}
      defaultValue={20}
      required
    />
    <Field
      label="Days until it ends"
      name="expiresInDays"
      type="number"
      min={1}
      max={90}
      defaultValue={30}
      required
      hint="Hosts that enrolled before go on working."
    />
  </>
)

function bodyOf(form: FormData, workspaceId: number, kind: Kind) {
  const read = readAgentLabels(textIn(form, 'labels'))
  return {
    name: textIn(form, 'name').trim(),
    workspaceId,
    ...('labels' in read && { labels: read.labels }),
    ...(kind === 'join' && {
      join: {
        maxAgents: Number(textIn(form, 'maxAgents')),
        expiresInDays: Number(textIn(form, 'expiresInDays')),
      },
    }),
  }
}
