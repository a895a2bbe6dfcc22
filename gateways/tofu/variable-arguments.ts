import { AppError } from '../../domain/errors.ts'
import { howKilled } from '../../domain/infrastructure/how-killed.ts'
import { isRecord } from '../../domain/infrastructure/record.ts'
import type { StepEnd } from '../sandbox/workbench.ts'
import { cutShort } from './cut-short.ts'

/**
 * OpenTofu reads TF_VAR_… first and lets a .tfvars file override it; here a variable of the
 * workspace or of the run overrides the files. So variables that both set are also passed as
 * arguments, by an environment variable: every user of the host can read a process's arguments.
 */
export function variableArguments(
  names: readonly string[],
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  if (names.length === 0) return {}
  const given = names
    .map((name) => quote(`-var=${name}=${env[`${prefix}${name}`] ?? ''}`))
    .join(' ')
  return Object.fromEntries(commands.map((command) => [`TF_CLI_ARGS_${command}`, given]))
}

/** Each command that evaluates the configuration; an apply refuses values other than its plan's. */
const commands = ['init', 'plan', 'apply']

/** Quotes a word as OpenTofu splits them. */
const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

const prefix = 'TF_VAR_'

/** Names of the variables of OpenTofu that the workspace and the run set. */
export const namesInEnv = (env: Readonly<Record<string, string>>): string[] =>
  Object.keys(env).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))

/**
 * The variables of the root module in the output of `tofu show -json -module=…`. Undefined for a configuration that
 * OpenTofu cannot read. Throws where its program did not end by itself: which variables override the files is not
 * known then.
 */
export function declaredVariables(end: StepEnd): ReadonlySet<string> | undefined {
  if (end.how !== 'exited') throw unread(end)
  if (end.exitCode !== 0) return undefined
  const variables: unknown = JSON.parse(end.stdout.toString()).root_module?.variables
  return new Set(isRecord(variables) ? Object.keys(variables) : [])
}

function unread(end: StepEnd): Error {
  const ended = howKilled(end) ?? (end.how === 'too_much_output' ? 'wrote too much' : 'was stopped')
  return (
    cutShort(end, 'show') ??
    new AppError('too_large', `The declared variables could not be read: tofu show ${ended}.`)
  )
}
