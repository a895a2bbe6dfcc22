import type { PeerProject, PeerProjects } from './peer-projects.ts'
import type { PeerAnswer, PeerRequest } from './peer-server.ts'

/** GitLab's project hooks, with the signing token of GitLab 19. */
export function gitlabHooks(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): PeerAnswer {
  if (!store.hooksAllowed) return { status: 403, json: { message: '403 Forbidden' } }
  const id = request.path.split('/hooks/')[1]
  const show = ({ id: hook, url, events, signingToken }: PeerProject['hooks'][number]) => ({
    id: Number(hook),
    url,
    project_id: project.id,
    push_events: events.includes('push'),
    merge_requests_events: events.includes('merge_requests'),
    token_present: true,
    signing_token_present: signingToken !== undefined,
  })
  if (request.method === 'GET') return { status: 200, json: project.hooks.map(show) }
  if (request.method === 'DELETE') {
    const left = project.hooks.filter((hook) => hook.id !== id)
    if (left.length === project.hooks.length)
      return { status: 404, json: { message: '404 Hook Not Found' } }
    project.hooks = left
    return { status: 204 }
  }
  const sent = JSON.parse(request.body.toString())
  if (sent.signing_token && !/^whsec_[A-Za-z0-9+/]{43}=$/.test(sent.signing_token))
    return { status: 400, json: { message: { signing_token: ['is invalid'] } } }
  const hook = {
    id: String(Math.floor(Math.random() * 1e9)),
    url: sent.url,
    events: [
      ...(sent.push_events ? ['push'] : []),
      ...(sent.merge_requests_events ? ['merge_requests'] : []),
    ],
    secret: sent.token,
    signingToken: store.signsHooks ? sent.signing_token : undefined,
  }
  project.hooks.push(hook)
  return { status: 201, json: show(hook) }
}
