import { invalid, type AppError } from '../errors.ts'
import { textsIn } from '../secrets/parts-of-secret.ts'
import { searchPatterns, workOfText } from '../secrets/search-patterns.ts'

/** What the sensitive values of a workspace and the texts in them may take to be searched for: so many texts of 32 characters. */
const maxTexts = 1_000

/** The same of what one run overrides. Reads search for what ten applies before a run had, too. */
const maxOverrideTexts = 250

export type StoredSecret = { id: number; isOfOpenTofu: boolean; value: string }

/**
 * Why a sensitive object or list of OpenTofu cannot be stored beside the other sensitive values. Each read that shows
 * something of the workspace searches for all of them, so whoever may set variables would decide what a read costs. A
 * change that takes less than before is accepted.
 */
export function refuseTexts(
  { id, key, value }: { id: number; key: string; value: string },
  stored: readonly StoredSecret[],
): AppError | undefined {
  const others = stored.filter((secret) => secret.id !== id)
  const lists = [...others.filter(({ isOfOpenTofu }) => isOfOpenTofu).map(textOf), value]
  const maxWork = maxTexts * workOfText
  if (searchPatterns([...others.map(textOf), value], { lists, maxWork })) return undefined
  const before = stored.find((secret) => secret.id === id && secret.isOfOpenTofu)
  if (before && workOf(value) <= workOf(before.value)) return undefined
  return tooMany(
    'value',
    `The value of ${key} has ${countOf(value)} texts of 8 or more characters. With it the sensitive values of this workspace take more to search for than ${maxTexts} texts of 32 characters`,
  )
}

/** The same of the sensitive values that a run is started with, in place of those of the workspace. */
export function refuseOverrideTexts(values: readonly string[]): AppError | undefined {
  const maxWork = maxOverrideTexts * workOfText
  if (searchPatterns([], { lists: values, maxWork })) return undefined
  const count = values.reduce((sum, value) => sum + countOf(value), 0)
  return tooMany(
    'vars',
    `The sensitive variables of this run have ${count} texts of 8 or more characters, which take more to search for than ${maxOverrideTexts} texts of 32 characters`,
  )
}

const tooMany = (path: string, problem: string) => {
  const message = `${problem}: more would make everything slow that people read of the workspace. Keep large secrets as one text, such as a file in base64, or in a secret store, or make the variable non-sensitive.`
  return invalid(message, [{ path, message }], 'variables_too_large')
}

const textOf = ({ value }: StoredSecret): string => value
const countOf = (value: string): number => new Set(textsIn(value)).size
const workOf = (value: string): number =>
  searchPatterns([value], { lists: [value], maxWork: Number.POSITIVE_INFINITY })?.work ?? 0
