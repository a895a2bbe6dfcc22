import { createHash } from 'node:crypto'
import { faultOfShape } from '../json/json-shape.ts'
import type { GitProduct } from './providers.ts'
import { textOf, type SentWebhook } from './webhook-signature.ts'

/** What a delivery is about. It only says where to look; the current state is read from the host. */
export type Delivery = {
  id: string
  branches: string[]
  /** Made or moved. One that was deleted starts nothing. */
  tags: string[]
  pullRequest: number | null
  /** Its name at the host, by which a connection of several repositories knows where to look. */
  repository: string | null
}

const maxIdLength = 200
/** Fields and items of a body: those of a push of 2,048 commits, each with 25 of its own and 48 files. */
const maxMembers = 150_000
/** Of branches and of tags. */
const maxRefs = 50
const maxRepositoryLength = 300
const idHeaders: Record<GitProduct, string> = {
  github: 'x-github-delivery',
  gitlab: 'idempotency-key',
  'bitbucket-cloud': 'x-request-uuid',
  'bitbucket-data-center': 'x-request-id',
}

/** Undefined for other events, such as a ping. Throws if the body is no JSON, or has more in it than a host sends. */
export function deliveryOf(product: GitProduct, sent: SentWebhook): Delivery | undefined {
  const text = sent.body.toString()
  const fault = faultOfShape(text, maxMembers)
  if (fault !== undefined) throw new Error(`The body of the delivery ${fault}.`)
  // Each field is looked at below.
  const body = asRecord(JSON.parse(text))
  const told = textOf(sent.headers, idHeaders[product])
  // Older versions of GitLab send no id: the same body twice is the same push.
  const id = told || createHash('sha256').update(sent.body).digest('hex')
  const about = readers[product](sent, body)
  const branches = [...new Set(about.branches)].slice(0, maxRefs)
  const tags = [...new Set(about.tags)].slice(0, maxRefs)
  const pullRequest = Number.isSafeInteger(about.number) ? (about.number ?? null) : null
  if (branches.length === 0 && tags.length === 0 && pullRequest === null) return undefined
  const repository = nameIn[product](body)
  return {
    id: id.slice(0, maxIdLength),
    branches,
    tags,
    pullRequest,
    repository:
      typeof repository === 'string' && repository.length <= maxRepositoryLength
        ? repository
        : null,
  }
}

type About = { branches: string[]; tags?: string[]; number?: number }
type Body = Record<string, unknown>

/** As the hosts' own addresses have it. */
const nameIn: Record<GitProduct, (body: Body) => unknown> = {
  github: (body) => asRecord(body['repository'])['full_name'],
  gitlab: (body) => asRecord(body['project'])['path_with_namespace'],
  'bitbucket-cloud': (body) => asRecord(body['repository'])['full_name'],
  'bitbucket-data-center'(body) {
    const { slug, project } = asRecord(body['repository'])
    const { key } = asRecord(project)
    return typeof key === 'string' && typeof slug === 'string' ? `${key}/${slug}` : null
  },
}

const readers: Record<GitProduct, (sent: SentWebhook, body: Body) => About> = {
  github({ headers }, body) {
    const event = textOf(headers, 'x-github-event')
    if (event === 'push') return pushed([[body['ref'], body['after']]])
    if (event !== 'pull_request') return nothing
    const planned = ['opened', 'reopened', 'synchronize', 'edited', 'ready_for_review']
    return planned.includes(String(body['action']))
      ? pull(asRecord(body['pull_request'])['number'])
      : nothing
  },

  gitlab(_sent, body) {
    const kind = body['object_kind']
    if (kind === 'push' || kind === 'tag_push') return pushed([[body['ref'], body['after']]])
    if (body['object_kind'] !== 'merge_request') return nothing
    return pull(asRecord(body['object_attributes'])['iid'])
  },

  'bitbucket-cloud'({ headers }, body) {
    const event = textOf(headers, 'x-event-key')
    if (event.startsWith('pullrequest:')) return pull(asRecord(body['pullrequest'])['id'])
    if (event !== 'repo:push') return nothing
    // `new` is null of what was deleted.
    const made = asList(asRecord(body['push'])['changes']).map((change) =>
      asRecord(asRecord(change)['new']),
    )
    const named = (kind: string) =>
      made.flatMap(({ type, name }) => (type === kind && typeof name === 'string' ? [name] : []))
    return { branches: named('branch'), tags: named('tag') }
  },

  'bitbucket-data-center'({ headers }, body) {
    const event = textOf(headers, 'x-event-key')
    if (event.startsWith('pr:')) return pull(asRecord(body['pullRequest'])['id'])
    if (event !== 'repo:refs_changed') return nothing
    return pushed(
      asList(body['changes']).map((change) => {
        const { ref, toHash } = asRecord(change)
        return [asRecord(ref)['id'], toHash]
      }),
    )
  },
}

/** A deleted branch is looked at, and found to be gone; a deleted tag is of no interest. */
function pushed(moves: ReadonlyArray<readonly [ref: unknown, after: unknown]>): About {
  const isDeleted = (after: unknown) => typeof after === 'string' && /^0+$/.test(after)
  return {
    branches: namesOf(
      'refs/heads/',
      moves.map(([ref]) => ref),
    ),
    tags: namesOf(
      'refs/tags/',
      moves.flatMap(([ref, after]) => (isDeleted(after) ? [] : [ref])),
    ),
  }
}

const nothing: About = { branches: [] }
const pull = (number: unknown): About =>
  typeof number === 'number' ? { branches: [], number } : nothing

const namesOf = (prefix: string, refs: readonly unknown[]): string[] =>
  refs.flatMap((ref) =>
    typeof ref === 'string' && ref.startsWith(prefix) ? [ref.slice(prefix.length)] : [],
  )
const asRecord = (value: unknown): Body =>
  typeof value === 'object' && value !== null ? (value as Body) : {}
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
