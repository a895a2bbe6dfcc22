import { createTextMatcher } from '../secrets/text-matcher.ts'
import { secretForms } from '../secrets/secret-forms.ts'
import type { Plan } from './parse-plan.ts'
import { isRecord, own } from './record.ts'

/**
 * Every value that the plan marks as sensitive anywhere. Marks alone do not suffice: a provider may copy
 * a value into a computed attribute without the mark (`terraform_data` marks `input` and not `output`).
 */
export const knownSecrets = (plan: Plan, options: SecretOptions = {}): KnownSecrets =>
  prepare(
    secretValues(plan, options),
    (options.secretValues ?? []).flatMap((value) => [
      ...secretForms(value, { shortest: minPartLength }),
    ]),
  )

/** The same as texts, to mask the messages of policies. */
export const secretTexts = (plan: Plan, options: SecretOptions = {}): string[] =>
  [...secretValues(plan, options)].map(String)

function secretValues(plan: Plan, options: SecretOptions): Set<string | number> {
  const found = new Set<string | number>()
  const add = (value: unknown) => collectLeaves(value, found)
  const { document } = plan
  const marked = (value: unknown, marks: unknown) => collectMarked({ value, marks, add })
  for (const { change } of [
    ...plan.resourceChanges,
    ...plan.resourceDrift,
    ...plan.outputChanges,
  ]) {
    marked(change.before, change.beforeSensitive)
    marked(change.after, change.afterSensitive)
  }
  for (const values of [document['planned_values'], own(document['prior_state'], 'values')]) {
    for (const output of Object.values(recordOf(own(values, 'outputs'))))
      if (own(output, 'sensitive') === true) add(own(output, 'value'))
    visitModules(own(values, 'root_module'), (resource) =>
      marked(own(resource, 'values'), own(resource, 'sensitive_values')),
    )
  }
  const root = own(document['configuration'], 'root_module')
  const names = new Set(options.sensitiveVariables)
  for (const [name, variable] of Object.entries(recordOf(document['variables'])))
    if (names.has(name) || isSensitive(own(own(root, 'variables'), name)))
      add(own(variable, 'value'))
  collectDeclared(root, add)
  for (const value of options.secretValues ?? []) addValue(value, found)
  return found
}

export type SecretOptions = {
  /** Variables that are sensitive in the workspace, though not in the configuration. */
  sensitiveVariables?: readonly string[]
  /** Sensitive values of the workspace, searched for in every form that tools give them. */
  secretValues?: readonly string[]
}

export type KnownSecrets = {
  /** Whether this whole value is a known secret. */
  has(value: unknown): boolean
  /** The text with each known secret in it replaced. */
  cover(text: string, replacement: (secret: string) => string): string
}

// Shorter values appear in a plan by chance ("1", "eu"). They are masked where they are marked;
// searching for them would destroy the rest of the document.
const minWholeLength = 4
const minPartLength = 8
const minNumber = 1_000

const isSensitive = (declaration: unknown) => own(declaration, 'sensitive') === true
const recordOf = (value: unknown) => (isRecord(value) ? value : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

type Marked = { value: unknown; marks: unknown; add: (value: unknown) => void }

function collectMarked({ value, marks, add }: Marked): void {
  if (marks === true) return add(value)
  if (Array.isArray(marks))
    for (const [at, mark] of marks.entries())
      collectMarked({ value: own(value, at), marks: mark, add })
  else if (isRecord(marks))
    for (const [key, mark] of Object.entries(marks))
      collectMarked({ value: own(value, key), marks: mark, add })
}

/** Adds the number too, since a configuration may have converted the value. */
function addValue(value: string, found: Set<string | number>): void {
  collectLeaves(value, found)
  if (value.trim() !== '') collectLeaves(Number(value), found)
}

function collectLeaves(value: unknown, found: Set<string | number>): void {
  if (typeof value === 'string' && value.length >= minWholeLength) found.add(value)
  else if (typeof value === 'number' && Math.abs(value) >= minNumber) found.add(value)
  else if (Array.isArray(value)) for (const item of value) collectLeaves(item, found)
  else if (isRecord(value)) for (const item of Object.values(value)) collectLeaves(item, found)
}

function visitModules(module: unknown, visit: (resource: unknown) => void): void {
  for (const resource of listOf(own(module, 'resources'))) visit(resource)
  for (const child of listOf(own(module, 'child_modules'))) visitModules(child, visit)
}

/** Adds literals that the configuration assigns to something it declares as sensitive. */
function collectDeclared(module: unknown, add: (value: unknown) => void): void {
  for (const variable of Object.values(recordOf(own(module, 'variables'))))
    if (isSensitive(variable)) add(own(variable, 'default'))
  for (const output of Object.values(recordOf(own(module, 'outputs'))))
    if (isSensitive(output)) add(own(own(output, 'expression'), 'constant_value'))
  for (const call of Object.values(recordOf(own(module, 'module_calls')))) {
    const called = own(call, 'module')
    for (const [name, expression] of Object.entries(recordOf(own(call, 'expressions'))))
      if (isSensitive(own(own(called, 'variables'), name))) add(own(expression, 'constant_value'))
    collectDeclared(called, add)
  }
}

function prepare(found: ReadonlySet<string | number>, forms: readonly string[]): KnownSecrets {
  const matcher = createTextMatcher([
    ...[...found]
      .filter((secret) => typeof secret === 'string')
      .filter((secret) => secret.length >= minPartLength),
    ...forms,
  ])
  return {
    has: (value) => (typeof value === 'string' || typeof value === 'number') && found.has(value),
    cover(text, replacement) {
      if (found.has(text)) return replacement(text)
      let covered = ''
      let kept = 0
      for (const { start, end } of matcher.find(text)) {
        covered += text.slice(kept, start) + replacement(text.slice(start, end))
        kept = end
      }
      return covered + text.slice(kept)
    },
  }
}
