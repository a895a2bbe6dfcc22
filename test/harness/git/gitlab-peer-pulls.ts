import type { PeerProject, PeerProjects } from './peer-projects.ts'
import type { PeerAnswer, PeerRequest } from './peer-server.ts'

const missing: PeerAnswer = { status: 404, json: { message: '404 Not found' } }

/** One merge request of the GitLab peer, with its notes. */
export function gitlabPull(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): PeerAnswer {
  const [, number = '', notes, note] =
    /\/merge_requests\/(\d+)(\/notes)?(?:\/(\d+))?$/.exec(request.path) ?? []
  const pull = project.pulls.find((one) => one.number === Number(number))
  if (!pull) return missing
  if (!notes && request.method === 'PUT')
    pull.closed = JSON.parse(request.body.toString()).state_event === 'close'
  if (!notes)
    return {
      status: 200,
      json: {
        iid: pull.number,
        state: pull.closed ? 'closed' : 'opened',
        source_branch: pull.from,
        target_branch: pull.into,
        source_project_id: pull.fork ? project.id + 1 : project.id,
        target_project_id: project.id,
      },
    }
  const show = ({ id, text }: { id: number; text: string }) => ({ id, body: text, system: false })
  if (request.method === 'GET') return { status: 200, json: (pull.comments ?? []).map(show) }
  const { body } = JSON.parse(request.body.toString())
  if (request.method === 'POST') return { status: 201, json: show(store.comment(pull, body)) }
  const found = pull.comments?.find(({ id }) => id === Number(note))
  if (!found) return missing
  found.text = body
  return { status: 200, json: show(found) }
}
