import type { PeerRight } from './git-peer.ts'
import { gitHttpBackend, type PeerAnswer, type PeerRequest } from './peer-server.ts'
import type { PeerProjects } from './peer-projects.ts'

/**
 * Serves GitLab's repositories with git. The token is the password, and any non-empty user name is
 * accepted.
 */
export async function gitlabClone(
  store: PeerProjects,
  request: PeerRequest,
  { right, name, rest }: { right: PeerRight | undefined; name: string; rest: string },
): Promise<PeerAnswer> {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const hasUser = /^[^:]+:/.test(Buffer.from(basic, 'base64').toString())
  if (!right || !hasUser)
    return {
      status: 401,
      text: 'HTTP Basic: Access denied.',
      headers: { 'www-authenticate': 'Basic realm="GitLab"' },
    }
  const project = store.find(name)
  if (!project) return { status: 404, text: 'The project you were looking for could not be found.' }
  if (/receive-pack/.test(rest + request.url.search) && right !== 'write')
    return { status: 403, text: 'You are not allowed to push code to this project.' }
  return gitHttpBackend(request, {
    root: store.repositories.root,
    path: `/${project.name}.git${rest}`,
  })
}
