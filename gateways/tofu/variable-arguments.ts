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
  const given = names.map((name) => quote(`-var=${name}=${env[`TF_VAR_${name}`] ?? ''}`)).join(' ')
  return Object.fromEntries(commands.map((command) => [`TF_CLI_ARGS_${command}`, given]))
}

/** Each command that evaluates the configuration; an apply refuses values other than its plan's. */
const commands = ['init', 'plan', 'apply']

/** Quotes a word as OpenTofu splits them. */
const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Names among TF_VAR_… that a file which OpenTofu reads by itself may give another value. */
export function namesInFiles(
  files: Readonly<Record<string, string>>,
  folder: string,
  env: Readonly<Record<string, string>>,
): string[] {
  const text = Object.entries(files)
    .filter(([path]) => isReadByItself(path, folder))
    .map(([, content]) => content)
    .join('\n')
  return Object.keys(env)
    .filter((key) => key.startsWith('TF_VAR_'))
    .map((key) => key.slice('TF_VAR_'.length))
    .filter((name) => text.includes(name))
}

function isReadByItself(path: string, folder: string): boolean {
  const cut = path.lastIndexOf('/')
  const name = path.slice(cut + 1)
  return (
    path.slice(0, Math.max(0, cut)) === folder &&
    /^(terraform|.+\.auto)\.tfvars(\.json)?$/.test(name)
  )
}
