import { conflict, invalid, type AppError } from '../errors.ts'
import { whyPartsUnmaskable } from '../secrets/parts-of-secret.ts'
import { whyUnmaskable } from '../secrets/secret-forms.ts'
import { refuseOverrideTexts } from './refuse-texts.ts'
import { isOfOpenTofu, sensitiveNames } from './variables.ts'

const variablesPerOwner = 200

/** Sensitive values of a workspace or pipeline together; masking more would be too slow. */
export const maxSensitiveBytes = 1024 * 1024

/**
 * All variables of a workspace together. Linux gives a program 2 MiB for its environment and arguments;
 * the rest is for what the service and the run add.
 */
const maxVariableBytes = 1536 * 1024

/** Overrides of one run, in addition. */
export const maxOverrideBytes = 256 * 1024

/** Linux limits one text of an environment, `KEY=value` and a NUL, to 128 KiB. */
const maxEnvironmentText = 128 * 1024

/** A variable's size, measured without opening its value. */
export type MeasuredVariable = {
  id: number
  key: string
  kind: 'terraform' | 'env'
  sensitive: boolean
  bytes: number
}

export type GivenValue = Pick<MeasuredVariable, 'key' | 'kind' | 'sensitive'> & { value: string }

/** Why a value is not acceptable by itself. */
export function refuseValue({ key, kind, sensitive, value }: GivenValue): AppError | undefined {
  const bytes = textBytes({ key, kind, bytes: Buffer.byteLength(value) })
  if (bytes > maxEnvironmentText)
    return refused(
      `The value of ${key} takes ${bytes} bytes with its name as UTF-8, and a program is given at most ${maxEnvironmentText} in one variable.`,
      'variable_too_large',
    )
  const fault = sensitive ? whyUnmaskable(value) : undefined
  if (fault !== undefined)
    return refused(
      `The sensitive value of ${key} ${fault}. Use a longer value, or make the variable non-sensitive.`,
      'variable_not_maskable',
    )
  const partFault = sensitive && isOfOpenTofu({ kind, key }) ? whyPartsUnmaskable(value) : undefined
  if (partFault === undefined) return undefined
  return refused(
    `The sensitive value of ${key} ${partFault}. Split it into several variables, or make the variable non-sensitive.`,
    'variable_not_maskable',
  )
}

const refused = (message: string, code: string) =>
  invalid(message, [{ path: 'value', message }], code)

/** Why a change would exceed a total. Changes that lower an exceeded total are accepted. */
export function refuseTotals(
  before: readonly MeasuredVariable[],
  after: readonly MeasuredVariable[],
  owner: 'workspace' | 'pipeline' = 'workspace',
): AppError | undefined {
  if (after.length > variablesPerOwner && after.length > before.length)
    return conflict('variable_limit', `At most ${variablesPerOwner} variables a ${owner}.`)
  const secret = (list: readonly MeasuredVariable[]) => list.filter(({ sensitive }) => sensitive)
  return (
    refuseSum(
      `sensitive values of this ${owner}`,
      [secret(before), secret(after)],
      maxSensitiveBytes,
    ) ?? refuseSum(`variables of this ${owner}`, [before, after], maxVariableBytes)
  )
}

type Lists = [before: readonly MeasuredVariable[], after: readonly MeasuredVariable[]]

function refuseSum(what: string, lists: Lists, most: number): AppError | undefined {
  const [before, after] = lists.map(sumOf)
  if (after === undefined || before === undefined || after <= most || after <= before)
    return undefined
  return conflict(
    'variables_too_large',
    `The ${what} would take ${after} bytes together, and may take ${most}.`,
  )
}

/** Names count too, because they are passed with the values. */
const sumOf = (list: readonly MeasuredVariable[]): number =>
  list.reduce((sum, variable) => sum + textBytes(variable), 0)

const textBytes = ({ key, kind, bytes }: Pick<MeasuredVariable, 'key' | 'kind' | 'bytes'>) =>
  (kind === 'terraform' ? 'TF_VAR_'.length : 0) + key.length + 1 + bytes + 1

/** Why overrides of a run are not acceptable; they may override a sensitive variable. */
export function refuseOverrides(
  overrides: Readonly<Record<string, string | number | boolean>>,
  variables: readonly MeasuredVariable[],
): AppError | undefined {
  let sum = 0
  const names = sensitiveNames(variables)
  for (const [key, given] of Object.entries(overrides)) {
    const value = String(given)
    const fault =
      refuseNumber(key, given) ??
      refuseValue({ key, kind: 'terraform', sensitive: names.has(key), value })
    if (fault) return fault
    sum += textBytes({ key, kind: 'terraform', bytes: Buffer.byteLength(value) })
  }
  if (sum > maxOverrideBytes)
    return refused(
      `The variables of a run may take ${maxOverrideBytes} bytes together, and these take ${sum}.`,
      'variables_too_large',
    )
  const sensitive = Object.entries(overrides).filter(([key]) => names.has(key))
  return refuseOverrideTexts(sensitive.map(([, given]) => String(given)))
}

/** JSON's parser has rounded it already, so the plan would be made with another number. */
function refuseNumber(key: string, given: string | number | boolean): AppError | undefined {
  if (typeof given !== 'number' || !Number.isInteger(given) || Number.isSafeInteger(given))
    return undefined
  const most = Number.MAX_SAFE_INTEGER
  return invalid(`The number of ${key} is not between -${most} and ${most}. Send it as text.`, [
    { path: `vars.${key}`, message: `is not between -${most} and ${most}: send it as text` },
  ])
}

/**
 * Why Linux would not start a program with this environment, as a message; undefined if it would. Older
 * workspaces, and values that `.tfvars` files set too and that are passed twice, can exceed the limit.
 */
export function whyTooLarge(env: Readonly<Record<string, string>>): string | undefined {
  let sum = 0
  for (const [key, value] of Object.entries(env)) {
    const bytes = key.length + 1 + Buffer.byteLength(value) + 1
    sum += bytes
    if (bytes <= maxEnvironmentText) continue
    return key.startsWith('TF_CLI_ARGS_')
      ? `The variables that both this workspace and .tfvars files of the configuration set take ${bytes} bytes together, and a program is given at most ${maxEnvironmentText}. Take them out of the files.`
      : `The variable ${key} takes ${bytes} bytes, and a program is given at most ${maxEnvironmentText} in one variable. Make it smaller.`
  }
  return sum <= maxVariableBytes + maxOverrideBytes
    ? undefined
    : `The variables of this run take ${sum} bytes together, and a program is given at most ${maxVariableBytes + maxOverrideBytes}. Remove some, or make them smaller.`
}
