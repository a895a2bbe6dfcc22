/** Environment that a workspace may not set: each of these would change who is asked, or what is run (decisions §4). */
const refusedEnvironment: ReadonlyArray<RegExp> = [
  /^TF_(?!VAR_)/i,
  /^CC_/i,
  /^LD_/i,
  /^PATH$/i,
  /^HOME$/i,
  /^SSL_CERT_/i,
  /_PROXY$/i,
]

/** What is wrong with a variable's key, or undefined when it may stand. */
export function faultOfVariableKey(kind: 'terraform' | 'env', key: string): string | undefined {
  if (kind === 'terraform')
    return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)
      ? undefined
      : 'a Terraform variable begins with a letter or "_" and has letters, digits, "_" and "-"'
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
    return 'an environment variable has letters, digits and "_" and does not begin with a digit'
  return refusedEnvironment.some((pattern) => pattern.test(key))
    ? `${key} is refused: TF_* (but TF_VAR_*), CC_*, LD_*, PATH, HOME, SSL_CERT_* and *_PROXY are the service's own`
    : undefined
}
