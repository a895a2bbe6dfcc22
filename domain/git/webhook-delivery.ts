import { createHash } from 'node:crypto'
import { jsonPicker, type Wanted } from '../json/pick-json.ts'
import type { GitProduct } from './providers.ts'
import { textOf, type WebhookHeaders } from './webhook-signature.ts'

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
/** Of branches and of tags. */
const maxRefs = 50
const maxRepositoryLength = 300
const idHeaders: Record<GitProduct, string> = {
  github: 'x-github-delivery',
  gitlab: 'idempotency-key',
  'bitbucket-cloud': 'x-request-uuid',
  'bitbucket-data-center': 'x-request-id',
}

export type DeliveryReader = {
  /** The next bytes of the body. Throws `UnreadableJson`. */
  add(bytes: Uint8Array): void
  /** Undefined for other events, such as a ping. Throws `UnreadableJson`. */
  end(): Delivery | undefined
}

/** Reads a few fields of a body, which may have all files of thousands of commits. */
export function deliveryReader(product: GitProduct, headers: WebhookHeaders): DeliveryReader {
  const picker = jsonPicker(wantedOf[product])
  const told = textOf(headers, idHeaders[product])
  const digest = createHash('sha256')
  return {
    add(bytes) {
      picker.add(bytes)
      if (told === '') digest.update(bytes)
    },
    end() {
      // Each field is looked at below.
      const body = asRecord(picker.end())
      // Older versions of GitLab send no id: the same body twice is the same push.
      return deliveryIn(product, { headers, body, id: told || digest.digest('hex') })
    },
  }
}

function deliveryIn(
  product: GitProduct,
  { headers, body, id }: { headers: WebhookHeaders; body: Body; id: string },
): Delivery | undefined {
  const about = readers[product](headers, body)
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

/** All that is read below. */
const wantedOf: Record<GitProduct, Wanted> = {
  github: {
    ref: true,
    after: true,
    action: true,
    repository: { full_name: true },
    pull_request: { number: true },
  },
  gitlab: {
    object_kind: true,
    ref: true,
    after: true,
    project: { path_with_namespace: true },
    object_attributes: { iid: true },
  },
  'bitbucket-cloud': {
    repository: { full_name: true },
    pullrequest: { id: true },
    push: { changes: [{ new: { type: true, name: true } }] },
  },
  'bitbucket-data-center': {
    repository: { slug: true, project: { key: true } },
    pullRequest: { id: true },
    changes: [{ ref: { id: true }, toHash: true }],
  },
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

const readers: Record<GitProduct, (headers: WebhookHeaders, body: Body) => About> = {
  github(headers, body) {
    const event = textOf(headers, 'x-github-event')
    if (event === 'push') return pushed([[body['ref'], body['after']]])
    if (event !== 'pull_request') return nothing
    const planned = ['opened', 'reopened', 'synchronize', 'edited', 'ready_for_review']
    return planned.includes(String(body['action']))
      ? pull(asRecord(body['pull_request'])['number'])
      : nothing
  },

  gitlab(_headers, body) {
    const kind = body['object_kind']
    if (kind === 'push' || kind === 'tag_push') return pushed([[body['ref'], body['after']]])
    if (body['object_kind'] !== 'merge_request') return nothing
    return pull(asRecord(body['object_attributes'])['iid'])
  },

  'bitbucket-cloud'(headers, body) {
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

  'bitbucket-data-center'(headers, body) {
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
