import { isDeepStrictEqual } from 'node:util'
import { elementOf, matchElement } from './match-element.ts'
import { patchPath } from './patch-path.ts'
import { withPaths, type PatchOperation } from './patch-operations.ts'
import { extensionOf, type Document } from './read-document.ts'
import {
  assertFew,
  readPatchValue,
  readSimple,
  readValue,
  saysSomething,
  unwrapped,
  withOnePrimary,
  type Element,
  type Value,
} from './read-value.ts'
import { quoted, refusal } from './refusals.ts'
import type { Filter } from './resolve-filter.ts'
import type { Attribute, ResourceSchema } from './schemas.ts'

/**
 * Each may name a hundred e-mails to compare with a hundred; connectors send a few dozen operations. One without a
 * path counts as those that it stands for.
 */
const maxOperations = 200

type Step = { op: PatchOperation['op']; value?: unknown }
type Target = { attribute: Attribute; sub?: Attribute; filter?: Filter }

/** Applies RFC 7644 3.5.2 to a document: all operations, or none if one throws. Does not modify its input. */
export function applyPatch(
  schema: ResourceSchema,
  before: Document,
  { operations, id }: { operations: readonly PatchOperation[]; id: string },
): Document {
  const steps = withPaths(operations, id)
  if (Math.max(operations.length, steps.length) > maxOperations)
    throw refusal('invalidValue', `At most ${maxOperations} operations for one person.`)
  let document = structuredClone(before)
  for (const { path, ...step } of steps)
    if (!isPassword(path)) document = applyStep(schema, document, { path, ...step })
  return document
}

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
  { urn, op, value }: Step & { urn: string },
): Document {
  if (op === 'remove' || value === null) return withExtension(document, urn, {})
  if (typeof value !== 'object' || Array.isArray(value))
    throw refusal('invalidValue', `${quoted(urn)} is an object.`)
  let changed = document
  for (const [name, part] of Object.entries(value ?? {}))
    // Some connectors repeat the extension's name inside.
    if (name !== 'schemas')
      changed = applyStep(schema, changed, { op, path: `${urn}:${name}`, value: part })
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
  if (sub) return emptyAsNone(withSub(part, sub, step))
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
      ? everyAfter(attribute, old, { ...step, sub })
      : wholeAfter(attribute, old, step)
  const kept = next.filter(saysSomething)
  // Each is compared with the others, so their number is bounded.
  assertFew(attribute, kept)
  return kept.length === 0 ? undefined : withNewPrimary(old, kept)
}

function wholeAfter(attribute: Attribute, old: Element[], { op, value }: Step): Element[] {
  const given = (readPatchValue(attribute, value) ?? []) as Element[]
  if (op === 'replace') return given
  // Entra ID names what it removes as a value; without a value all are removed.
  if (op === 'remove')
    return value === undefined
      ? []
      : old.filter((one) => !given.some((gone) => meansSame(one, gone)))
  const merged = [...old]
  for (const element of given) {
    const at = merged.findIndex((one) => meansSame(one, element))
    if (at < 0) merged.push(element)
    else merged[at] = { ...merged[at], ...element }
  }
  return merged
}

/** `emails.value` without a filter means that part of every element. */
function everyAfter(
  attribute: Attribute,
  old: Element[],
  step: Step & { sub: Attribute },
): Element[] {
  const elements = old.length === 0 && step.op !== 'remove' ? [{}] : old
  return (readValue(
    attribute,
    elements.map((one) => withSub(one, step.sub, step)),
  ) ?? []) as Element[]
}

function chosenAfter(
  { attribute, sub, filter }: { attribute: Attribute; sub: Attribute | undefined; filter: Filter },
  old: Element[],
  step: Step,
): Element[] {
  const isChosen = (element: Element) => matchElement(element, filter)
  if (step.op === 'remove')
    return sub
      ? old.map((one) => (isChosen(one) ? withSub(one, sub, step) : one))
      : old.filter((one) => !isChosen(one))
  const change = (element: Element, from: Element): Element => {
    if (sub) return withSub(element, sub, step)
    const given = (readPatchValue(attribute, step.value) as Element[] | undefined)?.[0] ?? {}
    return step.op === 'add' ? { ...element, ...given } : { ...from, ...given }
  }
  // Elements that no filter matches are created to match it: connectors rely on that.
  if (!old.some(isChosen)) return [...old, change(elementOf(filter), elementOf(filter))]
  return old.map((one) => (isChosen(one) ? change(one, elementOf(filter)) : one))
}

function withSub(element: Element, sub: Attribute, { op, value }: Step): Element {
  const read = op === 'remove' ? undefined : readSimple(sub, unwrapped(value))
  const { [sub.name]: _, ...rest } = element
  return read === undefined ? rest : { ...rest, [sub.name]: read }
}

const emptyAsNone = (element: Element): Element | undefined =>
  Object.keys(element).length === 0 ? undefined : element

function meansSame(one: Element, other: Element): boolean {
  if (one['value'] === undefined || other['value'] === undefined)
    return isDeepStrictEqual(one, other)
  const [type, wanted] = [one['type'], other['type']]
  return (
    String(one['value']).toLowerCase() === String(other['value']).toLowerCase() &&
    (type === undefined || wanted === undefined || type === wanted)
  )
}

/** Of two primary elements the newer one stays primary (RFC 7643 2.4). */
function withNewPrimary(old: readonly Element[], next: Element[]): Element[] {
  const wasPrimary = (element: Element) =>
    old.some((one) => one['primary'] === true && meansSame(one, element))
  const newer = next.find((element) => element['primary'] === true && !wasPrimary(element))
  if (!newer) return withOnePrimary(next)
  return next.map((element) =>
    element['primary'] === true && element !== newer ? { ...element, primary: false } : element,
  )
}
