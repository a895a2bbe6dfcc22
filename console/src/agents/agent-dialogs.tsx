import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Agent } from '../api/types.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { agentChange } from './agent-change.ts'
import { AgentLabelsField } from './labels-of-agent.tsx'
import { TokenOfAgent } from './token-of-agent.tsx'

export type AgentDialogKind = 'change' | 'token' | 'delete'
export type AgentAction = AgentDialogKind | 'pause' | 'resume'
type Props = { agent: Agent; onClose: () => void }

/** What a row of the list opens. One dialog for the list, so that rows stay light. */
export function AgentDialog({ action, ...of }: Props & { action: AgentDialogKind }) {
  switch (action) {
    case 'change':
      return <ChangeAgent {...of} />
    case 'token':
      return <NewToken {...of} />
    case 'delete':
      return <DeleteAgent {...of} />
  }
}

function ChangeAgent({ agent, onClose }: Props) {
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const typed = { name: textIn(form, 'name'), labels: textIn(form, 'labels') }
      const body = agentChange(typed, agent)
      if (Object.keys(body).length === 0) return undefined
      return call('updateAgent', { params: { id: agent.id }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['agents'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Change ${agent.name}`}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        title="Letters, digits and . _ - beginning with a letter or digit"
        defaultValue={agent.name}
        autoComplete="off"
      />
      <AgentLabelsField labels={agent.labels} />
    </FormDialog>
  )
}

function NewToken({ agent, onClose }: Props) {
  const make = useMutation({
    mutationFn: () => call('rotateAgentToken', { params: { id: agent.id } }),
  })
  if (make.data)
    return (
      <TokenOfAgent
        title={`Install ${agent.name} again`}
        made={make.data}
        isJoin={agent.join !== null}
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={`Make a new token for ${agent.name}?`}
      act="Make a new token"
      tone="primary"
      doing={{ ...make, mutate: () => make.mutate() }}
      onClose={onClose}
    >
      <p>The token before it works for another hour, so that you can replace it on the host.</p>
    </ConfirmDialog>
  )
}

function DeleteAgent({ agent, onClose }: Props) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      call('deleteAgent', {
        params: { id: agent.id },
        query: { ...(agent.busy && { force: true }) },
      }),
    onSuccess: async () => {
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['agents'] })
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${agent.name}?`}
      act="Delete"
      doing={{ ...remove, mutate: () => remove.mutate() }}
      onClose={onClose}
    >
      <p>
        {agent.join
          ? 'No further host enrolls with its token. Hosts that enrolled before go on working.'
          : 'Its token ends at once. The host keeps what it runs, and gets no further release.'}
      </p>
      {agent.busy && <p>It carries out a deployment now, which will count this host as lost.</p>}
    </ConfirmDialog>
  )
}
