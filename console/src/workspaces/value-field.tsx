import { useQuery } from '@tanstack/react-query'
import { configurationQuery, workspaceQuery } from '../api/queries.ts'
import type { Variable } from '../api/types.ts'
import { TextField } from '../parts/forms.tsx'
import { plainText } from '../parts/plain-text.ts'
import { declaredType, howToWrite } from './declared-type.ts'

/** Why a sensitive variable cannot keep its value; false if it can. */
export type NewValueReason = 'shown' | 'other_steps' | false

type Props = {
  workspaceId: number
  /** The one that is changed; undefined for a new one. */
  variable: Variable | undefined
  /** As it is typed so far. */
  name: string
  /** An environment variable is a text, whatever the files declare. */
  isEnvironment: boolean
  /** Why a new value is required. */
  needsNew: NewValueReason
}

/** The value of a variable. The type that the files declare says how it is written, so no switch has to. */
export function ValueField(props: Props) {
  const { workspaceId, variable, name, isEnvironment, needsNew } = props
  const files = useQuery(configurationQuery(workspaceId)).data?.configuration?.files ?? {}
  const folder = useQuery(workspaceQuery(workspaceId)).data?.workspace.path ?? ''
  const how = isEnvironment
    ? 'One or more lines, without quotes.'
    : plainText(howToWrite(declaredType(files, folder, name)))
  return (
    <TextField
      label="Value"
      name="value"
      defaultValue={variable?.value ?? ''}
      rows={(variable?.value ?? '').includes('\n') ? 8 : 2}
      maxLength={65_536}
      autoComplete="off"
      spellCheck={false}
      className="variable-value"
      required={needsNew !== false}
      hint={hintOf({ variable, needsNew, how })}
    />
  )
}

type Hinted = Pick<Props, 'variable' | 'needsNew'> & { how: string }

function hintOf({ variable, needsNew, how }: Hinted) {
  if (needsNew) return `${newValueWords[needsNew]} ${how}`
  if (!variable?.sensitive) return how
  return `The value is not shown. Leave it empty to keep it; what you write here replaces it. ${how}`
}

const newValueWords: Record<Exclude<NewValueReason, false>, string> = {
  shown: 'A sensitive value is never shown again, so a new one is needed.',
  other_steps: 'A sensitive value is not given to other steps than before, so a new one is needed.',
}
