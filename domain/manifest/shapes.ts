import { Type, type Static, type TSchema } from 'typebox'

/**
 * Every schema of the manifest says in words what it accepts, as a noun phrase. A fault repeats the words
 * after "is not", and an editor shows them.
 */
export const Words = (
  pattern: string,
  description: string,
  { maxLength = 1_000, ...options }: { maxLength?: number; default?: string } = {},
) => Type.String({ minLength: 1, maxLength, pattern, description, ...options })

/** Two alternatives written as texts, such as `none` and `public`. */
export const Choice = <const V extends readonly string[]>(
  values: V,
  options: { description: string; default?: V[number] },
) => Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

export const Whole = (
  [minimum, maximum]: readonly [number, number],
  options: { description: string; default?: number },
) => Type.Integer({ minimum, maximum, ...options })

/** An object that refuses unknown keys. */
export const Keys = <P extends Record<string, TSchema>>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: false, description })

/** An object whose keys the author chooses. */
export function Named<V extends TSchema>(
  value: V,
  options: { keys: TSchema; maxProperties: number; description: string },
) {
  const { keys, maxProperties, description } = options
  return Type.Unsafe<Record<string, Static<V>>>({
    type: 'object',
    propertyNames: keys,
    additionalProperties: value,
    maxProperties,
    description,
  })
}

export const ListOf = <V extends TSchema>(
  item: V,
  options: { description: string; maxItems: number; minItems?: number; uniqueItems?: boolean },
) => Type.Array(item, options)

/** The longest duration, by its seconds, as an author writes it. */
const longest = { '1h': 3_600, '24h': 86_400 } as const

/** A duration such as `90s`. Without `mayBeZero` it is at least a second. */
export function Duration(
  most: keyof typeof longest,
  options: { usual?: string; mayBeZero?: boolean; of: string },
) {
  const { usual, mayBeZero = false, of } = options
  const seconds = longest[most]
  const forms = [
    ...(mayBeZero ? ['0s?'] : []),
    `${upTo(seconds)}s`,
    `${upTo(seconds / 60)}m`,
    `${upTo(seconds / 3_600)}h`,
  ]
  return Words(
    `^(?:${forms.join('|')})$`,
    `${of}, a duration in whole seconds, minutes or hours, as "90s", "20m" or "1h", of at most ${most}`,
    { maxLength: 10, ...(usual !== undefined && { default: usual }) },
  )
}

/** A pattern of the whole numbers from 1 to this one, without leading zeros. */
export function upTo(most: number): string {
  const digits = String(most)
  const forms: string[] = []
  if (digits.length > 1) forms.push(`[1-9][0-9]{0,${digits.length - 2}}`)
  for (let at = 0; at < digits.length; at += 1) {
    const least = at === 0 ? 1 : 0
    const digit = Number(digits[at])
    if (digit - 1 < least) continue
    const rest = digits.length - at - 1
    forms.push(`${digits.slice(0, at)}[${least}-${digit - 1}]${rest > 0 ? `[0-9]{${rest}}` : ''}`)
  }
  return `(?:${[...forms, digits].join('|')})`
}

const inside = '(?!/)(?!(?:[^\\u0000]*/)?\\.\\.(?:/|$))[^\\u0000\\\\]+'

/** A relative path with `/` that cannot leave its folder. */
export const innerPath = { minLength: 1, maxLength: 500, pattern: `^${inside}$` }

export const InnerPath = (of: string, options: { default?: string } = {}) =>
  Type.String({
    ...innerPath,
    description: `${of}, a path below it, with "/", without ".." and not beginning with "/"`,
    ...options,
  })

/** A pattern of paths, as `src/**`. */
export const Glob = (of: string) =>
  Type.String({
    ...innerPath,
    description: `${of}, a pattern of paths, as "**/*.map", that does not leave its folder`,
  })

/** The name of an environment variable. `CC_` begins those that the service sets. */
export const VariableName = (of: string) =>
  Words(
    '^(?!CC_)[A-Za-z_][A-Za-z0-9_]*$',
    `${of}, letters, digits and "_", not beginning with a digit or with "CC_", which the service sets`,
    { maxLength: 100 },
  )

/** Programs take no NUL in their arguments and environment. */
export const withoutNul = '^[^\\u0000]*$'

/** One line without control characters, so that a name cannot forge a second line of a log. */
export const Label = (of: string, maxLength: number) =>
  Words(
    '^[^\\u0000-\\u0020\\u007f-\\u00a0\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069][^\\u0000-\\u001f\\u007f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$',
    `${of}, one line that begins with no space, of at most ${maxLength} characters`,
    { maxLength },
  )
