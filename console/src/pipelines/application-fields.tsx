import type { Pipeline } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Check, Field, Select, TextField } from '../parts/forms.tsx'

type Props = { was: Pipeline | undefined; disabled?: boolean }

/** What starts a run without a person. */
export function TriggerFields({ was, disabled }: Props) {
  const triggers = was?.triggers
  return (
    <fieldset className="stack" disabled={disabled}>
      <legend>What starts a run</legend>
      <Check
        label="A push to the branch"
        name="push"
        defaultChecked={triggers?.push ?? was === undefined}
      />
      <TextField
        label="Only if the push changes one of these paths (optional)"
        name="paths"
        rows={2}
        defaultValue={triggers?.paths.join('\n') ?? ''}
        spellCheck={false}
        className="variable-value"
        placeholder="src/**"
        hint="One pattern a line: ** is any number of folders, * stays within one name."
      />
      <TextField
        label="A tag that fits one of these patterns (optional)"
        name="tags"
        rows={2}
        defaultValue={triggers?.tags.join('\n') ?? ''}
        spellCheck={false}
        className="variable-value"
        placeholder="v*"
        hint="One pattern a line. Anybody who may start runs can also start one here."
      />
    </fieldset>
  )
}

/** Guards of a release. A new pipeline rarely needs others than the first of each. */
export function ReleaseFields({ was, disabled }: Props) {
  const { may } = useMe()
  const mayWeaken = may('manage_cloud_accounts') || was?.rollbackApproval === 'once'
  return (
    <fieldset className="stack" disabled={disabled}>
      <legend>Guards of a release</legend>
      <Select
        label="A rollback on production"
        name="rollbackApproval"
        defaultValue={was?.rollbackApproval ?? 'always'}
        hint={
          mayWeaken
            ? undefined
            : 'Doing without an approval requires the role SRE · Cloud Admin or higher.'
        }
      >
        <option value="always">always waits for a second person</option>
        {mayWeaken && (
          <option value="once">
            goes ahead if that release was approved and healthy there within 90 days
          </option>
        )}
      </Select>
      <Select
        label="Bill of materials"
        name="sbom"
        defaultValue={was?.sbom ?? 'optional'}
        hint="The list of what is in an artifact."
      >
        <option value="optional">optional: a build without one gets a warning</option>
        <option value="required">required: a build without one fails</option>
      </Select>
      <Field
        label="Minutes to wait for a first agent"
        name="agentWaitMinutes"
        type="number"
        min={1}
        max={1_440}
        required
        defaultValue={was?.agentWaitMinutes ?? 30}
        hint="Where no agent of the target is online, the run waits this long and then fails. Its artifact stays."
      />
    </fieldset>
  )
}
