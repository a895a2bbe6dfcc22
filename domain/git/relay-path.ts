export type RelayPath = {
  capability: string
  host: string
  /** `owner/repository` as the address has it, without `.git`. */
  repository: string
  /** The path at the provider. */
  path: string
}

const segment = /^[\w~][\w.~+-]{0,254}$/
const maxSegments = 22

/**
 * Parses a request to the Git relay: `/<capability>/<host>/<repository>/…`. Allows only the two
 * requests that read a repository, compared as sent: a path that would first have to be decoded or
 * normalized (`%2e`, `..`, `//`) could mean another repository to the provider, which gets a credential.
 */
export function relayPath(method: string, url: string): RelayPath | undefined {
  const service = services.find((one) => one.method === method && url.endsWith(one.end))
  if (!service) return undefined
  const [empty, capability = '', host = '', ...segments] = url
    .slice(0, -service.end.length)
    .split('/')
  if (empty !== '' || capability === '' || !/^[\w.-]+(:\d{1,5})?$/.test(host)) return undefined
  if (segments.length < 2 || segments.length > maxSegments) return undefined
  if (!segments.every((name) => segment.test(name))) return undefined
  // Providers redirect the name without `.git`, and redirects are not followed.
  const repository = segments.join('/').replace(/\.git$/, '')
  return { capability, host, repository, path: `/${repository}.git${service.end}` }
}

/** Git's smart HTTP protocol for fetching; `git-receive-pack` and the dumb protocol are not included. */
const services = [
  { method: 'GET', end: '/info/refs?service=git-upload-pack' },
  { method: 'POST', end: '/git-upload-pack' },
] as const
