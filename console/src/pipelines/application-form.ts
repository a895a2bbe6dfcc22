import type { Body } from '../api/call.ts'
import type { Pipeline } from '../api/types.ts'
import { textIn } from '../parts/forms.tsx'

type Created = Body<'createPipeline'>
type Changed = Body<'updatePipeline'>

/** What the fields of application-fields.tsx say. A field that is not in the form says nothing. */
type Values = Required<
  Pick<
    Changed,
    | 'appGitConnectionId'
    | 'appRepo'
    | 'appBranch'
    | 'appPath'
    | 'targetWorkspaceId'
    | 'strategy'
    | 'rollbackApproval'
    | 'sbom'
    | 'agentWaitMinutes'
  >
> & { triggers: { push: boolean; paths: string[]; tags: string[] } }

/** One a line. */
export const patternsIn = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

/** People write `/services/shop/`; the service has `services/shop`. */
const folderIn = (typed: string): string => typed.trim().replaceAll(/^(\.?\/)+|\/+$/g, '')

function valuesIn(form: FormData): Partial<Values> {
  const typed = (name: string) => textIn(form, name).trim()
  const workspace = typed('targetWorkspaceId')
  return {
    ...(form.has('appGitConnectionId') && {
      appGitConnectionId: Number(typed('appGitConnectionId')),
      appRepo: typed('appRepo'),
      appBranch: typed('appBranch') || null,
      appPath: folderIn(typed('appPath')),
    }),
    targetWorkspaceId: workspace === '' ? null : Number(workspace),
    ...(form.has('strategy') && { strategy: typed('strategy') || null }),
    triggers: {
      push: form.get('push') !== null,
      paths: patternsIn(typed('paths')),
      tags: patternsIn(typed('tags')),
    },
    rollbackApproval: typed('rollbackApproval') === 'once' ? 'once' : 'always',
    sbom: typed('sbom') === 'required' ? 'required' : 'optional',
    agentWaitMinutes: Number(typed('agentWaitMinutes')) || 30,
  }
}

/** The application pipeline that a form describes. What nobody chose is left to the service. */
export function createdIn(form: FormData): Created {
  const { targetWorkspaceId, strategy, appPath, appBranch, ...values } = valuesIn(form)
  return {
    name: textIn(form, 'name').trim(),
    kind: 'application',
    ...values,
    ...(appBranch && { appBranch }),
    ...(appPath && { appPath }),
    ...(targetWorkspaceId && { targetWorkspaceId }),
    ...(strategy && { strategy }),
  }
}

/** What a form changes of a pipeline, and no more: a save does not revert a change by another person. */
export function changedIn(form: FormData, was: Pipeline): Changed {
  const { triggers, ...values } = { name: textIn(form, 'name').trim(), ...valuesIn(form) }
  const others: Changed = differing(values, was)
  const named: Changed['triggers'] = differing(triggers ?? {}, was.triggers ?? {})
  return { ...others, ...(Object.keys(named).length > 0 && { triggers: named }) }
}

function differing<T extends object>(values: T, was: object): Partial<T> {
  const before = new Map<string, unknown>(Object.entries(was))
  const changed = Object.entries(values).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before.get(field)),
  )
  // Fields of `values` with their own values.
  return Object.fromEntries(changed) as Partial<T>
}

/** What was sent, as the fields have it: the service keeps the triggers that a request does not name. */
export const sentOver = ({ triggers }: Pipeline, sent: Changed): object => ({
  ...sent,
  ...(sent.triggers && { triggers: { ...triggers, ...sent.triggers } }),
})
