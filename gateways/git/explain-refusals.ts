export type RelayRefusal = { connectionId: number | null; status: number }

/** Why a repository could not be read, and what helps, for the author of a module's address. */
export function explainRefusals(question: {
  host: string
  repository: string
  refusals: readonly RelayRefusal[]
  unusable: readonly string[]
}): string {
  const { host, repository, refusals, unusable } = question
  const named = refusals.filter(({ connectionId }) => connectionId !== null)
  // A host's answer without credentials says nothing about a token: some redirect to a sign-in page.
  const telling = named.length > 0 ? named : refusals
  const of = (test: (status: number) => boolean) => telling.find(({ status }) => test(status))

  if (of((status) => status >= 300 && status < 400))
    return `${host} redirects ${repository}: name the repository's present address in the module's source.`
  const trouble = of((status) => status === 429 || status >= 500)
  if (trouble) return `${host} cannot answer now (${trouble.status}). Try again later.`
  if (named.length === 0)
    return `${host}/${repository} cannot be read: ${unusable.join(' ') || `there is no Git connection to ${host}.`}`
  const rejected = named.filter(({ status }) => status === 401)
  if (rejected.length === named.length)
    return `${host} rejects the token of ${connections(rejected)}: replace it.`
  return `${host} has no repository ${repository} that ${connections(named)} may read: check the address, or give the token the right to read it.`
}

const connections = (of: readonly RelayRefusal[]) =>
  of.length === 1
    ? `the Git connection ${of[0]?.connectionId}`
    : `the Git connections ${of.map(({ connectionId }) => connectionId).join(', ')}`
