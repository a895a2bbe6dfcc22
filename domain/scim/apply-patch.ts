import { findExtension } from './attribute-path.ts'
import { elementOf, matchElement } from './match-element.ts'
import { patchPath } from './patch-path.ts'
import { withPaths, type PatchOperation, type PathOperation } from './patch-operations.ts'
import { patchWork, type PatchWork } from './patch-work.ts'
import { extensionOf, type Document } from './read-document.ts'
import {
  assertFew,
  readPatchValue,
  readSimple,
  saysSomething,
  unwrapped,
  withOnePrimary,
  type Element,
  type Simple,
  type Value,
} from './read-value.ts'
import { quoted, refusal } from './refusals.ts'
import type { Filter } from './resolve-filter.ts'
import type { Attribute, ResourceSchema } from './schemas.ts'

/**
 * Each may name a hundred e-mails to compare with a hundred; connectors send a few dozen operations. One without a
 * path counts as those that it stands for, and so does the URN of an extension.
 */
const maxOperations = 200

type Step = { op: PatchOperation['op']; value?: unknown; work: PatchWork }
type Target = { attribute: Attribute; sub?: Attribute; filter?: Filter }

/** Applies RFC 7644 3.5.2 to a document: all operations, or none if one throws. Does not modify its input. */
export function applyPatch(
  schema: ResourceSchema,
  before: Document,
  {
    operations,
    id,
    work = patchWork(),
  }: { operations: readonly PatchOperation[]; id: string; work?: PatchWork },
): Document {
  const steps = withPaths(operations, id)
  const changes = steps.reduce((sum, step) => sum + changesOf(schema, step), 0)
  if (Math.max(operations.length, changes) > maxOperations)
    throw refusal('invalidValue', `At most ${maxOperations} operations for one person.`)
  let document = before
  for (const { operation, path, op, value } of steps) {
    work.operation = operation
    if (!isPassword(path)) document = applyStep(schema, document, { path, op, value, work })
  }
  return document
}

/** How many attributes a step may change. */
const changesOf = (schema: ResourceSchema, { path, value }: PathOperation): number =>
  typeof value === 'object' && value !== null && findExtension(schema, path) !== undefined
    ? Math.max(Object.keys(value).length, 1)
    : 1

/** A password is ignored, as in a POST: Okta sends one. */
const isPassword = (path: string): boolean =>
  /^(urn:ietf:params:scim:schemas:core:2\.0:User:)?password$/i.test(path)

function applyStep(
  schema: ResourceSchema,
  document: Document,
  { path, ...step }: Step & { path: string },
): Document {
  const target = patchPath(schema, path)
  if (target.attribute === undefined)
    return applyToExtension(schema, document, { urn: target.extension, ...step })
  const { extension, attribute } = target
  const holder = extension === undefined ? document : extensionOf(document, extension)
  const old = holder[attribute.name] as Value | undefined
  const next = valueAfter(target, old, step)
  if (next === undefined && attribute.required)
    throw refusal(
      step.op === 'remove' ? 'mutability' : 'invalidValue',
      `${quoted(attribute.name)} is required: it can be changed, not taken away.`,
    )
  const changed = { ...holder, [attribute.name]: next }
  if (next === undefined) delete changed[attribute.name]
  if (extension === undefined) return changed
  return withExtension(document, extension, changed)
}

/** The URN of an extension alone means all of its attributes. */
function applyToExtension(
  schema: ResourceSchema,
  document: Document,
  { urn, op, value, work }: Step & { urn: string },
): Document {
  if (op === 'remove' || value === null) return withExtension(document, urn, {})
  if (typeof value !== 'object' || Array.isArray(value))
    throw refusal('invalidValue', `${quoted(urn)} is an object.`)
  let changed = document
  for (const [name, part] of Object.entries(value ?? {}))
    // Some connectors repeat the extension's name inside.
    if (name !== 'schemas')
      changed = applyStep(schema, changed, { op, path: `${urn}:${name}`, value: part, work })
  return changed
}

function withExtension(document: Document, urn: string, part: Document): Document {
  const { [urn]: _, ...rest } = document
  if (Object.keys(part).length === 0) return rest
  return { ...rest, [urn]: part as Record<string, Value> }
}

function valueAfter(target: Target, old: Value | undefined, step: Step): Value | undefined {
  const { attribute, sub } = target
  if (attribute.multiValued) return elementsAfter(target, (old ?? []) as Element[], step)
  if (attribute.type !== 'complex')
    return step.op === 'remove' ? undefined : readPatchValue(attribute, step.value)
  const part = (old ?? {}) as Element
  if (sub) return emptyAsNone(withSub(part, sub, readSub(sub, step)))
  if (step.op === 'remove' || step.value === null) return undefined
  return mergeComplex(attribute, part, step.value)
}

/** Keeps sub-attributes that are not named (RFC 7644 3.5.2.3); one that is named and null is removed. */
function mergeComplex(attribute: Attribute, part: Element, value: unknown): Element | undefined {
  // One element: the attribute is complex and has a single value.
  const given = readPatchValue(attribute, value) as Element | undefined
  const merged = { ...part, ...given }
  if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) {
      const sub = attribute.subAttributes?.find(
        ({ name: known }) => known.toLowerCase() === name.toLowerCase(),
      )
      if (sub && (one === null || one === '')) delete merged[sub.name]
    }
  return emptyAsNone(merged)
}

function elementsAfter(target: Target, old: Element[], step: Step): Element[] | undefined {
  const { attribute, sub, filter } = target
  const next = filter
    ? chosenAfter({ attribute, sub, filter }, old, step)
    : sub
      ? everyAfter(old, { ...step, sub })
      : wholeAfter(attribute, old, step)
  const kept = next.filter(saysSomething)
  // Each is compared with the others, so their number is bounded.
  assertFew(attribute, kept)
  return kept.length === 0 ? undefined : withNewPrimary(old, kept, step.work)
}

function wholeAfter(attribute: Attribute, old: Element[], { op, value, work }: Step): Element[] {
  const given = (readPatchValue(attribute, value) ?? []) as Element[]
  if (op === 'replace') return given
  // Entra ID names what it removes as a value; without a value all are removed.
  if (op === 'remove')
    return value === undefined
      ? []
      : old.filter((one) => !given.some((gone) => meansSame(one, gone, work)))
  const merged = [...old]
  for (const element of given) {
    const at = merged.findIndex((one) => meansSame(one, element, work))
    if (at < 0) merged.push(element)
    else merged[at] = { ...merged[at], ...element }
  }
  return merged
}

/** `emails.value` without a filter means that part of every element. */
function everyAfter(old: Element[], { sub, ...step }: Step & { sub: Attribute }): Element[] {
  const read = readSub(sub, step)
  const elements = old.length === 0 && step.op !== 'remove' ? [{}] : old
  // The other parts were read when they were stored: reading them again for each operation takes a second.
  return withOnePrimary(elements.map((one) => withSub(one, sub, read)).filter(saysSomething))
}

function chosenAfter(
  { attribute, sub, filter }: { attribute: Attribute; sub: Attribute | undefined; filter: Filter },
  old: Element[],
  step: Step,
): Element[] {
  const chosen = new Set(old.filter((element) => matchElement(element, filter, step.work)))
  if (step.op === 'remove')
    return sub
      ? old.map((one) => (chosen.has(one) ? withSub(one, sub, undefined) : one))
      : old.filter((one) => !chosen.has(one))
  const change = changeOfChosen({ attribute, sub }, step)
  const wanted = elementOf(filter)
  // Elements that no filter matches are created to match it: connectors rely on that.
  if (chosen.size === 0) return [...old, change(wanted, wanted)]
  return old.map((one) => (chosen.has(one) ? change(one, wanted) : one))
}

/** Reads the value once, however many elements are chosen: it may be a megabyte. */
function changeOfChosen(
  { attribute, sub }: { attribute: Attribute; sub: Attribute | undefined },
  step: Step,
): (element: Element, from: Element) => Element {
  if (sub) {
    const read = readSub(sub, step)
    return (element) => withSub(element, sub, read)
  }
  const given = (readPatchValue(attribute, step.value) as Element[] | undefined)?.[0] ?? {}
  return (element, from) => ({ ...(step.op === 'add' ? element : from), ...given })
}

const readSub = (sub: Attribute, { op, value }: Step): Simple | undefined =>
  op === 'remove' ? undefined : readSimple(sub, unwrapped(value))

function withSub(element: Element, sub: Attribute, read: Simple | undefined): Element {
  const { [sub.name]: _, ...rest } = element
  return read === undefined ? rest : { ...rest, [sub.name]: read }
}

const emptyAsNone = (element: Element): Element | undefined =>
  Object.keys(element).length === 0 ? undefined : element

function meansSame(one: Element, other: Element, work: PatchWork): boolean {
  const [value, same] = [one['value'], other['value']]
  if (value === undefined || same === undefined) return isEqual(one, other, work)
  const [type, wanted] = [one['type'], other['type']]
  work.countFields()
  return (
    work.folded(String(value)) === work.folded(String(same)) &&
    (type === undefined || wanted === undefined || type === wanted)
  )
}

function isEqual(one: Element, other: Element, work: PatchWork): boolean {
  const names = Object.keys(one)
  work.countFields(Math.max(names.length, 1))
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  )
}

/** Of two primary elements the newer one stays primary (RFC 7643 2.4). */
function withNewPrimary(old: readonly Element[], next: Element[], work: PatchWork): Element[] {
  const wasPrimary = (element: Element) =>
    old.some((one) => one['primary'] === true && meansSame(one, element, work))
  const newer = next.find((element) => element['primary'] === true && !wasPrimary(element))
  if (!newer) return withOnePrimary(next)
  return next.map((element) =>
    element['primary'] === true && element !== newer ? { ...element, primary: false } : element,
  )
}
