import { actionReasons } from './action-reasons.ts'
import { actionOf, type Action, type PlannedResource } from './plan.ts'

type Look = { sign: string; tone: string; title: string; chip: string }

/** How each action looks. Destructive actions come first, so that an approver does not miss them. */
export const actionLooks: Readonly<Record<Action, Look>> = {
  destroy: { sign: '−', tone: 'bad', title: 'Destroy', chip: 'Destroy' },
  replace: { sign: '±', tone: 'bad', title: 'Replace (destroy, then create)', chip: 'Replace' },
  update: { sign: '~', tone: 'warn', title: 'Change in place', chip: 'Change' },
  create: { sign: '+', tone: 'good', title: 'Create', chip: 'Create' },
  read: { sign: '→', tone: 'quiet', title: 'Read', chip: 'Read' },
  move: {
    sign: '◇',
    tone: 'quiet',
    title: 'Move or import, nothing else changes',
    chip: 'Move or import',
  },
}

/** Sentences about a change that its attributes do not tell. */
export function sentencesOf(resource: PlannedResource): string[] {
  const { actions, replaceReason } = resource
  const sentences: string[] = []
  if (actions.includes('forget'))
    sentences.push(
      actions.includes('create')
        ? 'The old object is kept and leaves the state. A new one is created beside it.'
        : 'It leaves the state and is no longer managed. The object itself is kept.',
    )
  if (actionOf(resource) === 'replace')
    sentences.push(
      actions[0] === 'create'
        ? 'The new object is created before the old one is destroyed.'
        : 'The old object is destroyed before the new one is created.',
    )
  if (replaceReason !== undefined)
    sentences.push(
      Object.hasOwn(actionReasons, replaceReason)
        ? (actionReasons[replaceReason] ?? '')
        : 'OpenTofu gives a reason that this page does not know.',
    )
  return sentences
}
