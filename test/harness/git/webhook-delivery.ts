import { createHmac, randomUUID } from 'node:crypto'
import type { GitProduct } from '../../../domain/git/providers.ts'

/** A webhook as its provider stores it. */
export type PeerHook = {
  id: string
  url: string
  events: string[]
  secret: string
  /** Since GitLab 19. */
  signingToken?: string | undefined
}

export type PeerEvent =
  | { push: string; commit: string; before?: string }
  /** Without a commit the tag was deleted. */
  | { tag: string; commit?: string }
  | { pullRequest: number; action?: 'opened' | 'updated' }

export type SentDelivery = { id?: string; tamper?: (headers: Record<string, string>) => void }

/** Sends an event to a webhook with the payload and the signature that the provider documents. */
export async function deliver(
  product: GitProduct,
  at: { hook: PeerHook; repository: string; event: PeerEvent },
  { id = randomUUID(), tamper }: SentDelivery = {},
): Promise<{ status: number; text: string }> {
  const { hook, repository, event } = at
  const { headers, payload } = makers[product](repository, event, id)
  const body = JSON.stringify(payload)
  sign(product, { hook, headers, body, id })
  tamper?.(headers)
  const answer = await fetch(hook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: answer.status, text: await answer.text() }
}

function sign(
  product: GitProduct,
  at: { hook: PeerHook; headers: Record<string, string>; body: string; id: string },
): void {
  const { hook, headers, body, id } = at
  const hex = createHmac('sha256', hook.secret).update(body).digest('hex')
  if (product === 'github') headers['x-hub-signature-256'] = `sha256=${hex}`
  else if (product !== 'gitlab') headers['x-hub-signature'] = `sha256=${hex}`
  else {
    headers['x-gitlab-token'] = hook.secret
    if (!hook.signingToken) return
    const stamp = String(Math.floor(Date.now() / 1_000))
    const key = Buffer.from(hook.signingToken.replace('whsec_', ''), 'base64')
    const mac = createHmac('sha256', key).update(`${id}.${stamp}.${body}`).digest('base64')
    Object.assign(headers, {
      'webhook-id': id,
      'webhook-timestamp': stamp,
      'webhook-signature': `v1,${mac}`,
    })
  }
}

type Made = { headers: Record<string, string>; payload: unknown }
const zero = '0'.repeat(40)

const makers: Record<GitProduct, (repository: string, event: PeerEvent, id: string) => Made> = {
  github(repository, event, id) {
    const about = { repository: { full_name: repository }, sender: { login: 'somebody' } }
    const headers = { 'x-github-delivery': id, 'x-github-hook-id': '1' }
    if ('tag' in event)
      return {
        headers: { ...headers, 'x-github-event': 'push' },
        payload: { ref: `refs/tags/${event.tag}`, after: event.commit ?? zero, ...about },
      }
    return 'push' in event
      ? {
          headers: { ...headers, 'x-github-event': 'push' },
          payload: {
            ref: `refs/heads/${event.push}`,
            before: event.before ?? zero,
            after: event.commit,
            commits: [{ id: event.commit }],
            ...about,
          },
        }
      : {
          headers: { ...headers, 'x-github-event': 'pull_request' },
          payload: {
            action: event.action === 'updated' ? 'synchronize' : 'opened',
            number: event.pullRequest,
            pull_request: { number: event.pullRequest },
            ...about,
          },
        }
  },

  gitlab(repository, event, id) {
    const project = { path_with_namespace: repository }
    const headers = { 'idempotency-key': id, 'x-gitlab-event-uuid': id }
    if ('tag' in event)
      return {
        headers: { ...headers, 'x-gitlab-event': 'Tag Push Hook' },
        payload: {
          object_kind: 'tag_push',
          event_name: 'tag_push',
          ref: `refs/tags/${event.tag}`,
          after: event.commit ?? zero,
          project,
        },
      }
    return 'push' in event
      ? {
          headers: { ...headers, 'x-gitlab-event': 'Push Hook' },
          payload: {
            object_kind: 'push',
            event_name: 'push',
            ref: `refs/heads/${event.push}`,
            before: event.before ?? zero,
            after: event.commit,
            checkout_sha: event.commit,
            project,
          },
        }
      : {
          headers: { ...headers, 'x-gitlab-event': 'Merge Request Hook' },
          payload: {
            object_kind: 'merge_request',
            event_type: 'merge_request',
            project,
            object_attributes: {
              iid: event.pullRequest,
              action: event.action === 'updated' ? 'update' : 'open',
            },
          },
        }
  },

  'bitbucket-cloud'(repository, event, id) {
    const headers = { 'x-request-uuid': id, 'x-hook-uuid': '{1}', 'x-attempt-number': '1' }
    const about = { repository: { full_name: repository } }
    if ('tag' in event) {
      const made = event.commit && { type: 'tag', name: event.tag, target: { hash: event.commit } }
      return {
        headers: { ...headers, 'x-event-key': 'repo:push' },
        payload: { ...about, push: { changes: [{ old: null, new: made ?? null }] } },
      }
    }
    return 'push' in event
      ? {
          headers: { ...headers, 'x-event-key': 'repo:push' },
          payload: {
            ...about,
            push: {
              changes: [
                {
                  old: null,
                  new: { type: 'branch', name: event.push, target: { hash: event.commit } },
                },
              ],
            },
          },
        }
      : {
          headers: {
            ...headers,
            'x-event-key': `pullrequest:${event.action === 'updated' ? 'updated' : 'created'}`,
          },
          payload: { ...about, pullrequest: { id: event.pullRequest } },
        }
  },

  'bitbucket-data-center'(repository, event, id) {
    const [key, slug] = repository.split('/')
    const about = { repository: { slug, project: { key } } }
    const headers = { 'x-request-id': id }
    if ('tag' in event)
      return {
        headers: { ...headers, 'x-event-key': 'repo:refs_changed' },
        payload: {
          ...about,
          changes: [
            {
              ref: { id: `refs/tags/${event.tag}`, displayId: event.tag, type: 'TAG' },
              fromHash: zero,
              toHash: event.commit ?? zero,
              type: event.commit ? 'ADD' : 'DELETE',
            },
          ],
        },
      }
    return 'push' in event
      ? {
          headers: { ...headers, 'x-event-key': 'repo:refs_changed' },
          payload: {
            eventKey: 'repo:refs_changed',
            ...about,
            changes: [
              {
                ref: { id: `refs/heads/${event.push}`, displayId: event.push, type: 'BRANCH' },
                refId: `refs/heads/${event.push}`,
                fromHash: event.before ?? zero,
                toHash: event.commit,
                type: 'UPDATE',
              },
            ],
          },
        }
      : {
          headers: {
            ...headers,
            'x-event-key': event.action === 'updated' ? 'pr:from_ref_updated' : 'pr:opened',
          },
          payload: { eventKey: 'pr:opened', pullRequest: { id: event.pullRequest } },
        }
  },
}
