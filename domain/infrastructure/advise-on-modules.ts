/**
 * Advice on a module that git could not fetch, from the output of `init`; undefined if that output is
 * clear enough. OpenTofu wraps its lines anywhere.
 */
export function adviseOnModules(lines: readonly string[]): string | undefined {
  const text = lines
    .map((line) => line.trim())
    .join(' ')
    .replace(/\s+/g, ' ')
  const name = /Could not download module "([^"]{1,200})"/.exec(text)?.[1]
  if (!name) return undefined
  for (const { pattern, tell } of known) {
    const found = pattern.exec(text)
    if (found) return `module "${name}": ${tell(found[1] ?? '')}`
  }
  return undefined
}

const connect = (host: string) =>
  `connect ${host} under Git connections, with a token that may read the repository.`

const known: ReadonlyArray<{ pattern: RegExp; tell: (found: string) => string }> = [
  {
    pattern: /could not read (?:Username|Password) for 'https?:\/\/(?:[^'@/]*@)?([^'/]+)/,
    tell: (host) =>
      `${host} asks for a credential and there is no Git connection to it: ${connect(host)}`,
  },
  {
    pattern: /Authentication failed for 'https?:\/\/(?:[^'@/]*@)?([^'/]+)/,
    tell: (host) =>
      `${host} rejects the credential in the module's address. Take it out and ${connect(host)}`,
  },
  {
    pattern: /error downloading 'ssh:\/\/(?:[^'@/]*@)?([^'/:]+)/,
    tell: (host) =>
      `modules are not fetched over ssh. Name it as git::https://${host}/… and ${connect(host)}`,
  },
  {
    pattern: /invalid ref: "([^"]{1,200})"/,
    tell: (ref) => `the repository has no branch, tag or commit ${ref}.`,
  },
  {
    pattern: /Remote branch (\S{1,200}) not found in upstream/,
    tell: (ref) => `the repository has no branch or tag ${ref}.`,
  },
  {
    pattern: /unable to access 'https:\/\/(?:[^'@/]*@)?([^'/]+)[^']*'.{0,80}403 from proxy/,
    tell: (host) =>
      `${host} is at a private address. ${connect(host).replace(/^c/, 'C')} Or an operator opens it by CC_PRIVATE_HOSTS.`,
  },
  {
    pattern: /unable to access 'https:\/\/(?:[^'@/]*@)?([^'/]+)[^']*'.{0,80}50\d from proxy/,
    tell: (host) => `${host} cannot be reached from the worker.`,
  },
  {
    pattern: /unable to access 'https?:\/\/(?:[^'@/]*@)?([^'/]+)/,
    tell: (host) =>
      `${host} cannot be reached by a run, and there is no Git connection to it. If it is a Git host of yours, ${connect(host)}`,
  },
]
