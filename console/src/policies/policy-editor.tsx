import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../api/call.ts'
import type { Policy } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button, Field, Select } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { UnsavedGuard } from '../parts/unsaved-guard.tsx'
import { AffectedRuns } from './affected-runs.tsx'
import { PolicyMerge } from './policy-merge.tsx'
import { RegoText } from './rego-text.tsx'
import { usePolicyDraft, type PolicyValues } from './use-policy-draft.ts'

/** Edits a policy. It says which waiting runs a save affects, and shows compiler errors with their lines. */
export function PolicyEditor({ policy }: { policy: Policy | undefined }) {
  const { may } = useMe()
  const draft = usePolicyDraft(policy)
  const [focusOn, setFocusOn] = useState<object>()
  const { values, set, save } = draft
  const editable = may('manage_users_sso')
  const invalid = save.error instanceof ApiError && save.error.code === 'policy_invalid'
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
      className="stack"
    >
      {policy && draft.overtaken && (
        <PolicyMerge
          {...draft.overtaken}
          mine={values.rego}
          version={policy.version}
          onMerge={(rego) => {
            draft.merge(rego)
            setFocusOn({})
          }}
        />
      )}
      <PolicyFields values={values} set={set} editable={editable} />
      <RegoText
        rego={values.rego}
        onChange={(rego) => set({ rego })}
        readOnly={!editable}
        focusOn={focusOn}
        faults={invalid && save.error instanceof ApiError ? save.error.details : []}
      />
      {editable && draft.judgesOtherwise && (
        <AffectedRuns scopes={[draft.scope, ...(policy ? [policy.workspaces] : [])]} />
      )}
      <ErrorNote error={invalid ? null : save.error} />
      <UnsavedGuard unsaved={draft.changed && !draft.left} what="Your changes to the policy" />
      <div className="bar">
        <Link to="/organization/policies" className="button">
          Back
        </Link>
        {editable && (
          <span className="actions">
            {policy && <DeletePolicy policy={policy} onDeleted={draft.leave} />}
            <Button
              type="submit"
              tone="primary"
              idle={draft.overtaken !== undefined}
              busy={save.isPending}
            >
              Save policy
            </Button>
          </span>
        )}
      </div>
    </form>
  )
}

function DeletePolicy({ policy, onDeleted }: { policy: Policy; onDeleted: () => Promise<void> }) {
  return (
    <ConfirmButton
      label="Delete policy…"
      tone="danger"
      title={`Delete ${policy.name}?`}
      act="Delete"
      run={() => call('deletePolicy', { params: { id: policy.id } })}
      refresh={['policies', 'list']}
      onDone={onDeleted}
    >
      <p>Plans are no longer checked against it, starting with the next plan.</p>
      <AffectedRuns scopes={[policy.workspaces]} act="delete" />
    </ConfirmButton>
  )
}

type FieldProps = {
  values: PolicyValues
  set: (change: Partial<PolicyValues>) => void
  editable: boolean
}

function PolicyFields({ values, set, editable }: FieldProps) {
  return (
    <div className="policy-fields">
      <Field
        label="Name"
        value={values.name}
        onChange={(event) => set({ name: event.target.value })}
        required
        maxLength={200}
        readOnly={!editable}
      />
      <Select
        label="Enforcement"
        value={values.enforcement}
        onChange={(event) =>
          set({ enforcement: event.target.value === 'advisory' ? 'advisory' : 'mandatory' })
        }
        disabled={!editable}
      >
        <option value="mandatory">mandatory: it ends the run</option>
        <option value="advisory">advisory: it warns</option>
      </Select>
      <Select
        label="Workspaces"
        value={values.scope}
        onChange={(event) => set({ scope: scopeIn(event.target.value) })}
        disabled={!editable}
      >
        <option value="all">all</option>
        <option value="production">production</option>
        {values.hadChosen && <option value="chosen">the chosen ones</option>}
      </Select>
    </div>
  )
}

const scopeIn = (value: string): PolicyValues['scope'] =>
  value === 'chosen' || value === 'production' ? value : 'all'
