import { patchPath } from './patch-path.ts'
import { withPaths, type PatchOperation } from './patch-operations.ts'
import { readPatchValue, readSimple, textOrNull, unwrapped, type Element } from './read-value.ts'
import type { Document } from './read-document.ts'
import { quoted, refusal } from './refusals.ts'
import type { Filter } from './resolve-filter.ts'
import { groupSchema, type Attribute } from './schemas.ts'

/** What a request changes in a group's members: the difference alone. */
export type MemberChanges = {
  /** True if all members that are not in `add` are removed. */
  replaced: boolean
  /** By id, with the name that the identity provider shows. */
  add: Map<string, string | null>
  remove: Set<string>
}

/**
 * Of the members of one request, those that its filters choose: each takes as long to read as three in a list.
 * Connectors choose one an operation.
 */
const maxChosen = 10_000

export type GroupFields = { displayName: string; externalId: string | null }
export type GroupChanges = { fields: GroupFields; members: MemberChanges }

/** The body of a POST or PUT: without members it has none (RFC 7644 3.5.1). */
export function changesOfNew(document: Document): GroupChanges {
  const { displayName, externalId, members } = document
  if (typeof displayName !== 'string')
    throw refusal('invalidValue', 'displayName is required, and not empty.')
  return {
    fields: { displayName, externalId: textOrNull(externalId) },
    members: { replaced: true, add: new Map(membersOf(members as Element[])), remove: new Set() },
  }
}

/** A PATCH: its operations in order, applied as one change. */
export function changesOfPatch(
  before: GroupFields,
  operations: readonly PatchOperation[],
  id: string,
): GroupChanges {
  const changes: GroupChanges = {
    fields: { displayName: before.displayName, externalId: before.externalId },
    members: { replaced: false, add: new Map(), remove: new Set() },
  }
  let chosen = 0
  for (const { path, operation, ...step } of withPaths(operations, id)) {
    const target = patchPath(groupSchema, path)
    // A group has no extensions, so a path always has an attribute.
    if (target.attribute === undefined) continue
    chosen += target.filter ? termsOf(target.filter) : 0
    if (chosen > maxChosen)
      throw refusal(
        'invalidValue',
        `The filters of operations 1 to ${operation} choose more than ${maxChosen} members: name them in the value of an operation, or send fewer in one request.`,
      )
    if (target.attribute.name === 'members') changeMembers(changes.members, { ...target, ...step })
    else changeField(changes.fields, target.attribute, step)
  }
  return changes
}

type Step = { op: PatchOperation['op']; value?: unknown }

function changeField(fields: GroupFields, attribute: Attribute, { op, value }: Step): void {
  const read = op === 'remove' ? undefined : readSimple(attribute, unwrapped(value))
  const text = read === undefined ? null : String(read)
  if (attribute.name === 'externalId') fields.externalId = text
  else if (text !== null) fields.displayName = text
  else throw refusal(op === 'remove' ? 'mutability' : 'invalidValue', 'displayName is required.')
}

function changeMembers(
  members: MemberChanges,
  step: Step & { attribute: Attribute; sub?: Attribute | undefined; filter?: Filter | undefined },
): void {
  const { attribute, sub, filter, op, value } = step
  if (sub && (sub.name !== 'value' || filter))
    throw refusal('mutability', 'A member is added or removed, not changed.')
  const given = () => membersOf(readPatchValue(attribute, value) as Element[] | undefined)
  if (filter) {
    for (const one of chosenIds(filter))
      if (op === 'add') join(members, [one, null])
      else leave(members, one)
    if (op !== 'remove') for (const one of given()) join(members, one)
    return
  }
  // Entra ID lists the members to remove in the value; an empty list removes nobody.
  if (op === 'remove' && value !== undefined && value !== null) {
    for (const [one] of given()) leave(members, one)
    return
  }
  if (op !== 'add') {
    members.replaced = true
    members.add.clear()
    members.remove.clear()
  }
  if (op !== 'remove') for (const one of given()) join(members, one)
}

const join = ({ add, remove }: MemberChanges, [id, display]: Member): void => {
  remove.delete(id)
  add.set(id, display)
}
const leave = ({ add, remove }: MemberChanges, id: string): void => {
  add.delete(id)
  remove.add(id)
}

/** Members can only be selected by id; any other filter would need all members to be read. */
function chosenIds(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(chosenIds)
  if (
    filter.kind === 'compare' &&
    filter.operator === 'eq' &&
    filter.path.attribute.name === 'value'
  )
    return [String(filter.value).toLowerCase()]
  throw refusal('invalidFilter', 'Members are chosen by value eq "…", several of them with or.')
}

/** The comparisons of a filter. */
function termsOf(filter: Filter): number {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.parts.reduce((sum, part) => sum + termsOf(part), 0)
  return filter.kind === 'not' ? termsOf(filter.part) : 1
}

type Member = [id: string, display: string | null]

function membersOf(members: readonly Element[] | undefined): Member[] {
  return (members ?? []).map(({ value, display }) => {
    if (value === undefined)
      throw refusal('invalidValue', `A member needs a ${quoted('value')}: a user's id.`)
    return [String(value).toLowerCase(), display === undefined ? null : String(display)]
  })
}
