import { randomUUID } from 'node:crypto'
import type { Webhook } from './bitbucket-answers.ts'
import type { PeerProject, PeerProjects } from './peer-projects.ts'
import type { PeerAnswer, PeerRequest } from './peer-server.ts'

/** Bitbucket Cloud's repository hooks. */
export function cloudHooks(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): PeerAnswer {
  if (!store.hooksAllowed)
    return {
      status: 403,
      json: {
        type: 'error',
        error: { message: 'Your credentials lack one or more required privilege scopes.' },
      },
    }
  const show = ({ id, url, events }: PeerProject['hooks'][number]): Webhook => ({
    type: 'webhook_subscription',
    uuid: id,
    url,
    events,
    active: true,
    secret_set: true,
  })
  if (request.method === 'GET')
    return { status: 200, json: { values: project.hooks.map(show), page: 1, pagelen: 100 } }
  if (request.method === 'DELETE') {
    const uuid = decodeURIComponent(request.path.split('/hooks/')[1] ?? '')
    project.hooks = project.hooks.filter(({ id }) => id !== uuid)
    return { status: 204 }
  }
  const { url, secret, events } = JSON.parse(request.body.toString())
  const hook = { id: `{${randomUUID()}}`, url, secret, events }
  project.hooks.push(hook)
  return { status: 201, json: show(hook) }
}

/** Bitbucket Data Center's repository webhooks. */
export function dataCenterHooks(
  store: PeerProjects,
  project: PeerProject,
  request: PeerRequest,
): PeerAnswer {
  if (!store.hooksAllowed)
    return {
      status: 401,
      json: { errors: [{ message: 'You are not permitted to access this resource' }] },
    }
  const show = ({ id, url, events }: PeerProject['hooks'][number]) => ({
    id: Number(id),
    name: 'cloud-control',
    url,
    events,
    active: true,
    configuration: {},
  })
  if (request.method === 'GET')
    return {
      status: 200,
      json: { values: project.hooks.map(show), isLastPage: true, start: 0, limit: 100 },
    }
  if (request.method === 'DELETE') {
    const wanted = request.path.split('/webhooks/')[1]
    project.hooks = project.hooks.filter(({ id }) => id !== wanted)
    return { status: 204 }
  }
  const { url, events, configuration } = JSON.parse(request.body.toString())
  const id = String(Math.floor(Math.random() * 1e9))
  const hook = { id, url, events, secret: configuration.secret }
  project.hooks.push(hook)
  return { status: 201, json: show(hook) }
}
