import type { Body } from '../api/call.ts'
import { changedFields } from '../parts/changed-fields.ts'
import { changedScope } from './changed-scope.ts'
import type { Unit } from './queries.ts'

type Was = Pick<Unit, 'name' | 'unit' | 'scopeKind' | 'scopeValue'>

/** What the form changes of the unit that it was opened with, and no more. */
export function unitChange(typed: Body<'createUnit'>, was: Was): Body<'updateUnit'> {
  const { name, unit } = typed
  return { ...changedFields({ name, unit }, was), ...changedScope(typed, was) }
}
