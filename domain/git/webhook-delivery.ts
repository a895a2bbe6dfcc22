import { createHash } from 'node:crypto'
import type { GitProduct } from './providers.ts'
import { textOf, type SentWebhook } from './webhook-signature.ts'

/** What a delivery is about. It only says where to look; the current state is read from the host. */
export type Delivery = { id: string; branches: string[]; pullRequest: number | null }

const maxIdLength = 200
const maxBranches = 50
const idHeaders: Record<GitProduct, string> = {
  github: 'x-github-delivery',
  gitlab: 'idempotency-key',
  'bitbucket-cloud': 'x-request-uuid',
  'bitbucket-data-center': 'x-request-id',
}

/** Undefined for other events, such as a tag or a ping. Throws if the body is no JSON. */
export function deliveryOf(product: GitProduct, sent: SentWebhook): Delivery | undefined {
  // Each field is looked at below.
  const body = asRecord(JSON.parse(sent.body.toString()))
  const told = textOf(sent.headers, idHeaders[product])
  // Older versions of GitLab send no id: the same body twice is the same push.
  const id = told || createHash('sha256').update(sent.body).digest('hex')
  const about = readers[product](sent, body)
  const branches = [...new Set(about.branches)].slice(0, maxBranches)
  const pullRequest = Number.isSafeInteger(about.number) ? (about.number ?? null) : null
  if (branches.length === 0 && pullRequest === null) return undefined
  return { id: id.slice(0, maxIdLength), branches, pullRequest }
}

type About = { branches: string[]; number?: number }
type Body = Record<string, unknown>

const readers: Record<GitProduct, (sent: SentWebhook, body: Body) => About> = {
  github({ headers }, body) {
    const event = textOf(headers, 'x-github-event')
    if (event === 'push') return { branches: branchesOf([body['ref']]) }
    if (event !== 'pull_request') return nothing
    const planned = ['opened', 'reopened', 'synchronize', 'edited', 'ready_for_review']
    return planned.includes(String(body['action']))
      ? pull(asRecord(body['pull_request'])['number'])
      : nothing
  },

  gitlab(_sent, body) {
    if (body['object_kind'] === 'push') return { branches: branchesOf([body['ref']]) }
    if (body['object_kind'] !== 'merge_request') return nothing
    return pull(asRecord(body['object_attributes'])['iid'])
  },

  'bitbucket-cloud'({ headers }, body) {
    const event = textOf(headers, 'x-event-key')
    if (event.startsWith('pullrequest:')) return pull(asRecord(body['pullrequest'])['id'])
    if (event !== 'repo:push') return nothing
    const changes = asList(asRecord(body['push'])['changes'])
    return {
      branches: changes.flatMap((change) => {
        const { type, name } = asRecord(asRecord(change)['new'])
        return type === 'branch' && typeof name === 'string' ? [name] : []
      }),
    }
  },

  'bitbucket-data-center'({ headers }, body) {
    const event = textOf(headers, 'x-event-key')
    if (event.startsWith('pr:')) return pull(asRecord(body['pullRequest'])['id'])
    if (event !== 'repo:refs_changed') return nothing
    return {
      branches: branchesOf(
        asList(body['changes']).map((change) => asRecord(asRecord(change)['ref'])['id']),
      ),
    }
  },
}

const nothing: About = { branches: [] }
const pull = (number: unknown): About =>
  typeof number === 'number' ? { branches: [], number } : nothing

const branchesOf = (refs: readonly unknown[]): string[] =>
  refs.flatMap((ref) =>
    typeof ref === 'string' && ref.startsWith('refs/heads/')
      ? [ref.slice('refs/heads/'.length)]
      : [],
  )
const asRecord = (value: unknown): Body =>
  typeof value === 'object' && value !== null ? (value as Body) : {}
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
