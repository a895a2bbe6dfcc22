import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState, type FormEvent } from 'react'
import { ApiError, call } from '../api/call.ts'
import type { Policy } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'

const firstRego = `package cloudcontrol

deny contains message if {
  some resource in input.plan.resource_changes
  "delete" in resource.change.actions
  message := sprintf("%s would be destroyed", [resource.address])
}
`

/** Edits a policy and shows compiler errors with their lines. */
export function PolicyEditor({
  policy,
  onClose,
}: {
  policy: Policy | undefined
  onClose: () => void
}) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const [rego, setRego] = useState(policy?.rego ?? firstRego)
  const editable = may('manage_users_sso')
  const done = async () => {
    await queryClient.invalidateQueries({ queryKey: ['policies'] })
    onClose()
  }
  const save = useMutation({
    mutationFn: (form: FormData): Promise<unknown> => {
      const scope = textIn(form, 'workspaces')
      const enforcement = textIn(form, 'enforcement') === 'advisory' ? 'advisory' : 'mandatory'
      const body = { name: textIn(form, 'name').trim(), rego, enforcement } as const
      const workspaces = scope === 'production' ? 'production' : 'all'
      if (!policy) return call('createPolicy', { body: { ...body, workspaces } })
      return call('updatePolicy', {
        params: { id: policy.id },
        // The form cannot edit a list of workspaces, so such a list is not sent and stays unchanged.
        body: { ...body, ...(scope !== 'chosen' && { workspaces }) },
      })
    },
    onSuccess: done,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(new FormData(event.currentTarget))
  }
  const invalid = save.error instanceof ApiError && save.error.code === 'policy_invalid'
  const scope = typeof policy?.workspaces === 'object' ? 'chosen' : (policy?.workspaces ?? 'all')
  return (
    <form onSubmit={submit} className="stack">
      <div className="policy-fields">
        <Field
          label="Name"
          name="name"
          defaultValue={policy?.name}
          required
          maxLength={200}
          readOnly={!editable}
        />
        <Select
          label="Enforcement"
          name="enforcement"
          defaultValue={policy?.enforcement}
          disabled={!editable}
        >
          <option value="mandatory">mandatory: it ends the run</option>
          <option value="advisory">advisory: it warns</option>
        </Select>
        <Select label="Workspaces" name="workspaces" defaultValue={scope} disabled={!editable}>
          <option value="all">all</option>
          <option value="production">production</option>
          {scope === 'chosen' && <option value="chosen">the chosen ones</option>}
        </Select>
      </div>
      <RegoText
        rego={rego}
        onChange={setRego}
        readOnly={!editable}
        faults={invalid && save.error instanceof ApiError ? save.error.details : []}
      />
      <ErrorNote error={invalid ? null : save.error} />
      <div className="bar">
        <Button onClick={onClose}>Back</Button>
        {editable && (
          <span className="actions">
            {policy && (
              <ConfirmButton
                label="Delete policy…"
                tone="danger"
                title={`Delete ${policy.name}?`}
                act="Delete"
                run={() => call('deletePolicy', { params: { id: policy.id } })}
                refresh={['policies']}
                onDone={onClose}
              >
                Plans are no longer checked against it, starting with the next plan.
              </ConfirmButton>
            )}
            <Button type="submit" tone="primary" busy={save.isPending}>
              Save policy
            </Button>
          </span>
        )}
      </div>
    </form>
  )
}

type Faults = ReadonlyArray<{ message: string }>
type RegoProps = {
  rego: string
  readOnly: boolean
  faults: Faults
  onChange: (rego: string) => void
}

function RegoText({ rego, readOnly, faults, onChange }: RegoProps) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = rego.split('\n')
  const goTo = (line: number) => {
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
    area.current?.focus()
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  }
  return (
    <div>
      <label htmlFor={id} className="label">
        Rego
      </label>
      <textarea
        id={id}
        ref={area}
        className="editor-text rego"
        rows={Math.min(30, Math.max(14, lines.length + 1))}
        spellCheck={false}
        wrap="off"
        readOnly={readOnly}
        value={rego}
        aria-invalid={faults.length > 0}
        onChange={(event) => onChange(event.target.value)}
      />
      {faults.length > 0 && (
        <div className="note bad" role="alert">
          <p>The policy does not compile:</p>
          <ul>
            {faults.map(({ message }) => {
              const line = Number(/line (\d+)/.exec(message)?.[1] ?? 0)
              return (
                <li key={message}>
                  <button type="button" className="link" onClick={() => goTo(line)}>
                    {message}
                  </button>
                  {line > 0 && (
                    <pre className="fault-line">{`${line} │ ${lines[line - 1] ?? ''}`}</pre>
                  )}
                </li>
              )
            })}
          </ul>
        </div>
      )}
    </div>
  )
}
