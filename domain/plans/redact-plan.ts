import { knownSecrets, type KnownSecrets, type SecretOptions } from './known-secrets.ts'
import { parsePlan } from './parse-plan.ts'
import { isRecord, mapRecord, own, type UnknownRecord } from './record.ts'
import { redactConfiguration } from './redact-configuration.ts'

/**
 * The plan as a policy may see it: each sensitive value is replaced by a keyed hash of it, so
 * that a rule can compare values but neither read nor guess them. Copies of such a value are
 * replaced where no mark says so. Parts of the document that are not known here are left out.
 * `null` stays, for a rule may ask whether something is set.
 */
export function redactPlan(
  planJson: unknown,
  keyedHash: (text: string) => string,
  options: SecretOptions = {},
): UnknownRecord {
  const plan = parsePlan(planJson)
  const { document } = plan
  const redactor = createRedactor(knownSecrets(plan, options), keyedHash)
  const changes = (value: unknown) => redactResourceChanges(value, redactor)
  const redacted: UnknownRecord = {
    format_version: document['format_version'],
    terraform_version: document['terraform_version'],
    timestamp: document['timestamp'],
    errored: document['errored'],
    relevant_attributes: document['relevant_attributes'],
    variables: redactVariables(document, redactor, options),
    planned_values: redactValues(document['planned_values'], redactor),
    resource_drift: changes(document['resource_drift']),
    resource_changes: changes(document['resource_changes']),
    output_changes: eachOf(document['output_changes'], (change) => redactChange(change, redactor)),
    prior_state: eachOf(document['prior_state'], (value, key) =>
      key === 'values' ? redactValues(value, redactor) : redactor.sweep(value),
    ),
    configuration: redactConfiguration(document['configuration'], redactor),
    checks: redactor.sweep(document['checks']),
  }
  return Object.fromEntries(Object.entries(redacted).filter(([, value]) => value !== undefined))
}

export type Redactor = {
  hash(value: unknown): unknown
  /** Hashes what is marked, and what is a known secret without a mark. */
  redact(value: unknown, marks: unknown): unknown
  /** Hashes known secrets only. */
  sweep(value: unknown): unknown
}

function createRedactor(secrets: KnownSecrets, keyedHash: (text: string) => string): Redactor {
  const hash = (value: unknown) => {
    if (value === null || value === undefined) return value
    return keyedHash(typeof value === 'string' ? value : JSON.stringify(sorted(value)))
  }
  const redact = (value: unknown, marks: unknown): unknown => {
    if (marks === true || secrets.has(value)) return hash(value)
    if (typeof value === 'string') return secrets.cover(value, keyedHash)
    if (Array.isArray(value)) return value.map((item, at) => redact(item, own(marks, at)))
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        // A map's key can be a secret. A word that may be an attribute's name is let be: else the
        // plan's author could hide an attribute from a rule by declaring its name a secret.
        /^[a-z_][a-z0-9_]*$/.test(key) ? key : secrets.cover(key, keyedHash),
        redact(item, own(marks, key)),
      ]),
    )
  }
  return { hash, redact, sweep: (value) => redact(value, undefined) }
}

function redactVariables(
  document: UnknownRecord,
  redactor: Redactor,
  { sensitiveVariables = [] }: SecretOptions,
): unknown {
  const declared = own(own(document['configuration'], 'root_module'), 'variables')
  return eachOf(document['variables'], (variable, name) => {
    const sensitive =
      sensitiveVariables.includes(name) || own(own(declared, name), 'sensitive') === true
    return eachOf(variable, (value) => redactor.redact(value, sensitive))
  })
}

function redactResourceChanges(list: unknown, redactor: Redactor): unknown {
  if (!Array.isArray(list)) return undefined
  return list.map((resource: unknown) =>
    eachOf(resource, (value, key) => (key === 'change' ? redactChange(value, redactor) : value)),
  )
}

function redactChange(change: unknown, redactor: Redactor): unknown {
  return eachOf(change, (value, key) => {
    if (key === 'before') return redactor.redact(value, own(change, 'before_sensitive'))
    if (key === 'after') return redactor.redact(value, own(change, 'after_sensitive'))
    return key === 'generated_config' || key === 'importing' ? redactor.sweep(value) : value
  })
}

/** `planned_values`, or the `values` of a state. */
function redactValues(values: unknown, redactor: Redactor): unknown {
  return eachOf(values, (part, key) => {
    if (key === 'root_module') return redactModule(part, redactor)
    if (key !== 'outputs') return redactor.sweep(part)
    return eachOf(part, (output) =>
      eachOf(output, (value, field) =>
        field === 'value' ? redactor.redact(value, own(output, 'sensitive')) : value,
      ),
    )
  })
}

function redactModule(module: unknown, redactor: Redactor): unknown {
  return eachOf(module, (part, key) => {
    if (!Array.isArray(part)) return part
    if (key === 'child_modules') return part.map((child: unknown) => redactModule(child, redactor))
    return part.map((resource: unknown) =>
      eachOf(resource, (value, field) =>
        field === 'values' ? redactor.redact(value, own(resource, 'sensitive_values')) : value,
      ),
    )
  })
}

const eachOf = (value: unknown, change: (value: unknown, key: string) => unknown) =>
  isRecord(value) ? mapRecord(value, change) : undefined

/** One text for one value, whatever the order of its keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
