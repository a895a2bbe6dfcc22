import type { Body } from '../api/call.ts'
import type { Workspace } from '../api/types.ts'
import { textIn } from '../parts/forms.tsx'
import { describedIn } from '../parts/labels-field.tsx'

type ConfirmMode = Workspace['confirm']
type Change = Body<'updateWorkspace'>
type Was = Pick<
  Workspace,
  | 'name'
  | 'path'
  | 'description'
  | 'labels'
  | 'criticality'
  | 'confirm'
  | 'costLimitMonthly'
  | 'unpriced'
  | 'autoApply'
  | 'cloudAccountId'
>

export const confirmOptions: ReadonlyArray<[ConfirmMode, string]> = [
  ['none', 'none: a run that applies does so without a question'],
  ['destroys', 'plans that destroy something'],
  ['always', 'every plan'],
]
const modes = confirmOptions.map(([mode]) => mode)
export const isWeaker = (mode: ConfirmMode, now: ConfirmMode) =>
  modes.indexOf(mode) < modes.indexOf(now)

/**
 * What the settings change, and no more: a save does not revert a change by another person. A field that is
 * disabled is not in the form. `guardian`: may change what guards a run.
 */
export function workspaceChange(form: FormData, was: Was, guardian: boolean): Change {
  const name = textIn(form, 'name')
  const path = textIn(form, 'path')
  const criticality = textIn(form, 'criticality')
  const described = { labels: textIn(form, 'labels'), description: textIn(form, 'description') }
  const body: Change = describedIn(described, was)
  if (form.has('name') && name !== was.name) body.name = name
  if (path !== was.path) body.path = path
  if (
    (criticality === 'standard' || criticality === 'production') &&
    criticality !== was.criticality
  )
    body.criticality = criticality
  const confirm = modes.find((mode) => mode === textIn(form, 'confirm'))
  if (confirm && confirm !== was.confirm) body.confirm = confirm
  return guardian ? { ...body, ...guardChange(form, was) } : body
}

function guardChange(form: FormData, was: Was): Change {
  const body: Change = {}
  const limitText = textIn(form, 'costLimitMonthly')
  const limit = limitText === '' ? null : Number(limitText)
  if (limit !== was.costLimitMonthly) body.costLimitMonthly = limit
  const unpriced = textIn(form, 'unpriced') === 'allow' ? 'allow' : 'deny'
  if (unpriced !== was.unpriced) body.unpriced = unpriced
  const autoApply = form.get('autoApply') !== null
  if (autoApply !== was.autoApply) body.autoApply = autoApply
  const account = textIn(form, 'cloudAccountId')
  const cloudAccountId = account === '' ? null : Number(account)
  if (cloudAccountId !== was.cloudAccountId) body.cloudAccountId = cloudAccountId
  return body
}
