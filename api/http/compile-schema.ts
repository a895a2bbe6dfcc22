import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import buildSerializer from 'fast-json-stringify'
import { withoutUnions } from './without-unions.ts'

// Compiling takes 0.3 to 2 ms a schema and the routes have 900: at the start it took a second, which
// whoever waits for a killed API to be back waits for. So a schema is compiled by its first use, and once
// for all routes whose schemas have the same text.

/** Validates a request's body, and fills in its defaults. */
// `1e999` parses as Infinity, which no column and no answer can hold.
export const compileBody = validatorOf({ allErrors: true, strictNumbers: true })

/** Validates parameters of the path and the query, which come as text, and converts them. */
export const compileTexts = validatorOf({ allErrors: true, coerceTypes: true })

/** Writes an answer as JSON, with the fields of its schema only. */
export function compileAnswer(schema: unknown): Serialize {
  let serialize: Serialize | undefined
  return (answer) => (serialize ??= compiledAnswer(schema))(answer)
}

/** `compileAnswer` at once, so that a faulty schema throws. */
export const compiledAnswer = oncePerText<Serialize>((schema) =>
  buildSerializer(withoutUnions(schema) as object),
)

type Serialize = (answer: unknown) => string
type Validator = ((schema: unknown) => ValidateFunction) & {
  /** At once, so that a faulty schema throws. */
  now: (schema: unknown) => ValidateFunction
}

function validatorOf(options: Options): Validator {
  // The schema of schemas, which takes 40 ms to compile, is for a test (compile-schema.test.ts).
  const ajv = new Ajv({ ...options, useDefaults: true, strict: false, validateSchema: false })
  formats.default(ajv)
  const now = oncePerText((schema) => ajv.compile(schema as AnySchema))
  return Object.assign((schema: unknown) => atFirstUse(() => now(schema)), { now })
}

/** Fastify reads the faults of the last value from the function. */
function atFirstUse(compile: () => ValidateFunction): ValidateFunction {
  let compiled: ValidateFunction | undefined
  const validate = (value: unknown): boolean => {
    compiled ??= compile()
    const isValid = compiled(value)
    validate.errors = compiled.errors
    return isValid
  }
  validate.errors = undefined as ValidateFunction['errors']
  return validate as unknown as ValidateFunction
}

function oncePerText<T>(compile: (schema: unknown) => T): (schema: unknown) => T {
  const known = new Map<string, T>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const found = known.get(text) ?? compile(schema)
    known.set(text, found)
    return found
  }
}
