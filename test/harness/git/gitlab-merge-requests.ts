import type * as published from './gitlab-published-types.ts'
import type { PeerProject } from './peer-projects.ts'
import type { PeerAnswer, PeerRequest } from './peer-server.ts'

/** The merge requests of the GitLab peer: list the open ones, create new ones. */
export function mergeRequests(project: PeerProject, request: PeerRequest): PeerAnswer {
  const show = (pull: PeerProject['pulls'][number]): published.MergeRequest => ({
    iid: pull.number,
    web_url: `http://gitlab.example/${project.name}/-/merge_requests/${pull.number}`,
    source_branch: pull.from,
    target_branch: pull.into,
    title: pull.title,
    state: 'opened',
  })
  const query = request.url.searchParams
  if (request.method === 'GET')
    return {
      status: 200,
      json: project.pulls
        .filter(
          ({ from, into, closed }) =>
            !closed && from === query.get('source_branch') && into === query.get('target_branch'),
        )
        .map(show),
    }
  const sent = JSON.parse(request.body.toString())
  const pull = {
    number: project.pulls.length + 1,
    from: sent.source_branch,
    into: sent.target_branch,
    title: sent.title,
  }
  project.pulls.push(pull)
  return { status: 201, json: show(pull) }
}
