/**
 * What `tofu init` is given of a run's environment. An allow-list, because `init` can reach private
 * repositories and no list of the names that run a program is ever complete: the libraries that
 * download modules add names with each version. Plan and apply run the author's code anyway, and
 * have all variables of their phase.
 */
export const variablesOfInit = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isForInit(name)))

/** `init` evaluates sources of modules, which variables of OpenTofu can be a part of. */
const isForInit = (name: string): boolean =>
  /^TF_VAR_[A-Za-z_][A-Za-z0-9_-]*$/.test(name) || ofDownloaders.has(name)

/**
 * Credentials of modules in buckets (`s3::`, `gcs::`). Each is a value, and none names a file or an
 * address. GOOGLE_APPLICATION_CREDENTIALS is left out: a file of the configuration could send the
 * environment of `init`, with the run's token, to an address of the author's (`credential_source`).
 */
const ofDownloaders: ReadonlySet<string> = new Set([
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'GOOGLE_OAUTH_ACCESS_TOKEN',
])
