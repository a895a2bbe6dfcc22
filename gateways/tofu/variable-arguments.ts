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
