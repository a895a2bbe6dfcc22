import { isRecord, mapRecord, own } from './record.ts'
import type { Redactor } from './redact-plan.ts'

/**
 * The `configuration` part of a plan holds the literals that its author wrote, without marks.
 * Those given to a sensitive variable or output are hashed, and so are those of a provider's
 * credentials and every known secret.
 */
export function redactConfiguration(configuration: unknown, redactor: Redactor): unknown {
  if (!isRecord(configuration)) return undefined
  return mapRecord(configuration, (part, key) => {
    if (key === 'root_module') return redactModule(part, redactor)
    if (key !== 'provider_config' || !isRecord(part)) return sweepLiterals(part, redactor)
    return mapRecord(part, (provider) => redactProvider(provider, redactor))
  })
}

function redactModule(module: unknown, redactor: Redactor): unknown {
  if (!isRecord(module)) return module
  return mapRecord(module, (part, key) => {
    if (!isRecord(part)) return sweepLiterals(part, redactor)
    if (key === 'variables' || key === 'outputs')
      return mapRecord(part, (declared) =>
        own(declared, 'sensitive') === true
          ? hashLiterals(declared, redactor)
          : sweepLiterals(declared, redactor),
      )
    if (key === 'module_calls') return mapRecord(part, (call) => redactCall(call, redactor))
    return sweepLiterals(part, redactor)
  })
}

function redactCall(call: unknown, redactor: Redactor): unknown {
  if (!isRecord(call)) return call
  const declared = own(own(call, 'module'), 'variables')
  return mapRecord(call, (part, key) => {
    if (key === 'module') return redactModule(part, redactor)
    if (key !== 'expressions' || !isRecord(part)) return sweepLiterals(part, redactor)
    return mapRecord(part, (expression, name) =>
      own(own(declared, name), 'sensitive') === true
        ? hashLiterals(expression, redactor)
        : sweepLiterals(expression, redactor),
    )
  })
}

// The schema knows which arguments of a provider are sensitive, but the plan does not say it.
const credential =
  /pass(word|phrase)?$|secret|token|credential|private|(api|access|auth|secret|account)_?key|^key$/i

function redactProvider(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((item) => redactProvider(item, redactor))
  if (!isRecord(value)) return value
  return mapRecord(value, (part, key) => {
    if (isLiteral(key)) return redactor.sweep(part)
    return credential.test(key) ? hashLiterals(part, redactor) : redactProvider(part, redactor)
  })
}

const isLiteral = (key: string) => key === 'constant_value' || key === 'default'

const sweepLiterals = (value: unknown, redactor: Redactor) =>
  eachLiteral(value, (literal) => redactor.sweep(literal))

const hashLiterals = (value: unknown, redactor: Redactor) =>
  eachLiteral(value, (literal) => redactor.hash(literal))

/** Types, names and references are let be: a rule must be able to rely on them. */
function eachLiteral(value: unknown, change: (literal: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => eachLiteral(item, change))
  if (!isRecord(value)) return value
  return mapRecord(value, (part, key) =>
    isLiteral(key) ? change(part) : eachLiteral(part, change),
  )
}
