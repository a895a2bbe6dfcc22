import type { Comment, PullRequest } from './bitbucket-answers.ts'
import type { PeerProject, PeerProjects } from './peer-projects.ts'
import type { PeerAnswer, PeerRequest } from './peer-server.ts'

const ok = (json: unknown, status = 200): PeerAnswer => ({ status, json })

/** One pull request of Bitbucket Cloud, with its comments. */
export function cloudPull(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): PeerAnswer {
  const missing = ok({ type: 'error', error: { message: 'Not found' } }, 404)
  const [, number = '', comments, id] =
    /\/pullrequests\/(\d+)(?:\/decline)?(\/comments)?(?:\/(\d+))?$/.exec(request.path) ?? []
  const pull = project.pulls.find((one) => one.number === Number(number))
  if (!pull) return missing
  if (request.path.endsWith('/decline')) {
    pull.closed = true
    return ok({ type: 'pullrequest', id: pull.number, state: 'DECLINED' } satisfies PullRequest)
  }
  const side = (name: string, uuid: string) => ({
    branch: { name },
    repository: { type: 'repository', uuid },
  })
  if (!comments)
    return ok({
      type: 'pullrequest',
      id: pull.number,
      state: 'OPEN',
      source: side(pull.from, pull.fork ? '{another}' : project.uuid),
      destination: side(pull.into, project.uuid),
    } satisfies PullRequest)
  const show = (comment: { id: number; text: string }): Comment => ({
    type: 'pullrequest_comment',
    id: comment.id,
    deleted: false,
    content: { raw: comment.text },
  })
  if (request.method === 'GET') return ok({ values: (pull.comments ?? []).map(show) })
  const text = JSON.parse(request.body.toString()).content.raw
  if (request.method === 'POST') return ok(show(store.comment(pull, text)), 201)
  const found = pull.comments?.find((one) => one.id === Number(id))
  if (!found) return missing
  found.text = text
  return ok(show(found))
}

/** One pull request of Bitbucket Data Center, with its changes, activities and comments. */
export async function dataCenterPull(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): Promise<PeerAnswer> {
  const missing = ok({ errors: [{ message: 'Does not exist' }] }, 404)
  const [, number = '', what, id] =
    /\/pull-requests\/(\d+)(?:\/(changes|activities|comments|decline))?(?:\/(\d+))?$/.exec(
      request.path,
    ) ?? []
  const pull = project.pulls.find((one) => one.number === Number(number))
  if (!pull) return missing
  const whole = (values: unknown[]) => ok({ values, isLastPage: true, start: 0, limit: 500 })
  const ref = (branch: string, repository: number) => ({
    id: `refs/heads/${branch}`,
    displayId: branch,
    repository: { id: repository },
  })
  if (what === 'decline') {
    if (request.url.searchParams.get('version') !== '0')
      return ok({ errors: [{ message: 'The pull request was changed by somebody else.' }] }, 409)
    pull.closed = true
  }
  if (what === undefined || what === 'decline')
    return ok({
      id: pull.number,
      state: pull.closed ? 'DECLINED' : 'OPEN',
      fromRef: ref(pull.from, pull.fork ? project.id + 1 : project.id),
      toRef: ref(pull.into, project.id),
    })
  if (what === 'changes') {
    const changes = await store.changesOf(project, pull)
    return whole(changes.map(({ path }) => ({ type: 'MODIFY', path: { toString: path } })))
  }
  const all = pull.comments ?? []
  if (what === 'activities')
    return whole(all.toReversed().map((comment) => ({ action: 'COMMENTED', comment })))
  const found = all.find((one) => one.id === Number(id))
  if (request.method === 'GET') return found ? ok(found) : missing
  const sent = JSON.parse(request.body.toString())
  if (request.method === 'POST') return ok(store.comment(pull, sent.text), 201)
  if (!found) return missing
  if (sent.version !== found.version)
    return ok({ errors: [{ message: 'The comment was changed by somebody else.' }] }, 409)
  found.text = sent.text
  found.version += 1
  return ok(found)
}
