import type { Readable } from '../../../domain/clouds/cloud-account.ts'
import { CloudFault } from '../cloud-fault.ts'

/** Each type of an account is compared with each pattern. */
const maxPatterns = 5_000
const maxPatternLength = 200

/** One element of the permissions list of Microsoft.Authorization. */
export type Permission = { actions: string[]; notActions: string[] }

/** Whether a role allows this action: its `actions` match it, with `*` for anything, and its `notActions` do not. */
export function allowsAction(permissions: readonly Permission[], action: string): boolean {
  return permissions.some(
    ({ actions, notActions }) =>
      actions.some((pattern) => matches(pattern, action)) &&
      !notActions.some((pattern) => matches(pattern, action)),
  )
}

/**
 * Whether one role reads every type. A role that only together with another reads all counts as
 * partial, which is safe: each type that one of the two may read is known.
 */
export function readsAll(permissions: readonly Permission[]): boolean {
  return permissions.some(
    ({ actions, notActions }) =>
      actions.some((pattern) => pattern === '*' || pattern.toLowerCase() === '*/read') &&
      !notActions.some(mayMatchRead),
  )
}

/**
 * What each role may read, without what is repeated or matches no read. An endpoint that sends more than
 * a tenant has would make the merge of a sync compare for hours.
 */
export function readableBy(permissions: readonly Permission[]): Readable[] {
  const reads = (patterns: string[]) => [...new Set(patterns.filter(mayMatchRead))]
  const roles = new Map(
    permissions
      .map(({ actions, notActions }) => ({ allowed: reads(actions), denied: reads(notActions) }))
      .filter(({ allowed }) => allowed.length > 0)
      .map((role) => [JSON.stringify(role), role]),
  )
  let count = 0
  for (const { allowed, denied } of roles.values()) {
    count += allowed.length + denied.length
    for (const list of [allowed, denied])
      if (list.some((pattern) => pattern.length > maxPatternLength))
        throw new CloudFault('unreachable', tooLong)
  }
  if (count > maxPatterns) throw new CloudFault('unreachable', tooMany)
  return [...roles.values()]
}

const tooMany = 'Azure sent more than 5,000 patterns of actions. Give the identity fewer roles.'
const tooLong =
  'Azure sent a pattern of actions of more than 200 characters. Change the roles of the identity.'

/** Most exceptions of a role are writes: those of Contributor leave every read. */
function mayMatchRead(pattern: string): boolean {
  const end = pattern.toLowerCase().split('*').at(-1) ?? ''
  return pattern.includes('*')
    ? end.endsWith('/read') || '/read'.endsWith(end)
    : end.endsWith('/read')
}

function matches(pattern: string, action: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const text = action.toLowerCase()
  if (rest.length === 0) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  const last = rest.pop() ?? ''
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** What the permissions list answers; anything else in it is left out. */
export function permissionsIn(answer: unknown): Permission[] {
  const value =
    typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : []
  return (Array.isArray(value) ? value : []).map((entry: unknown) => ({
    actions: namesIn(entry, 'actions'),
    notActions: namesIn(entry, 'notActions'),
  }))
}

function namesIn(entry: unknown, list: string): string[] {
  if (typeof entry !== 'object' || entry === null) return []
  const names: unknown = Object.entries(entry).find(([key]) => key === list)?.[1]
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}
