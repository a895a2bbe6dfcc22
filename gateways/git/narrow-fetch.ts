import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { AllowedRefs } from '../../domain/git/relay-allowance.ts'
import type { RelayPath } from '../../domain/git/relay-path.ts'
import { onlyAllowed, wantsOf } from '../../domain/git/upload-pack.ts'
import type { OutboundStream } from '../outbound/outbound.ts'
import { inTurns } from './in-turns.ts'

/** The ids that git was shown, by repository: it may request these alone. */
export type RefsSeen = Map<string, Set<string>>
export const refsSeen = (): RefsSeen => new Map()

type Fetch = {
  request: IncomingMessage
  body: Buffer
  asked: RelayPath
  refs: AllowedRefs
  seen: RefsSeen
}

/** Of a list of refs: 25,000 refs have about 80 bytes each. */
const maxListBytes = 2 * 1024 * 1024
/** Of one repository, whose host may name other ids each time. Past it, no list is taken. */
const maxIds = 100_000
const unzip = promisify(gunzip)

/** Why a request to `git-upload-pack` is refused; undefined if it may pass. */
export async function refuseWants({
  request,
  body,
  asked,
  refs,
  seen,
}: Fetch): Promise<string | undefined> {
  if (request.method !== 'POST') return undefined
  const { host, repository } = asked
  const wants = wantsOf(await plain(request, body))
  if (!wants) return `git asked for ${host}/${repository} in a way that is not passed on.`
  const known = seen.get(keyOf(asked))
  const strange =
    wants.objects.find((id) => !known?.has(id) && !refs.hasCommit(id)) ??
    wants.refs.find((name) => !refs.has(name))
  return strange === undefined
    ? undefined
    : `${host}/${repository}: ${strange} is no ref that a module source of this configuration names.`
}

/** git compresses requests of more than 1 KiB. An unreadable one is refused. */
async function plain(request: IncomingMessage, body: Buffer): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined) return body
  if (encoding !== 'gzip') return Buffer.from('-')
  return unzip(body, { maxOutputLength: maxListBytes }).catch(() => Buffer.from('-'))
}

/** Removes the refs that nothing names from a list. Undefined if the list is unreadable. */
export async function narrowAnswer(
  answer: OutboundStream,
  { request, asked, refs, body, seen }: Fetch,
): Promise<OutboundStream | undefined> {
  const isList =
    request.method === 'GET' || wantsOf(await plain(request, body))?.command === 'ls-refs'
  if (!isList) return answer
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer.body) {
    // No encoding is set on the stream, so its chunks are buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > maxListBytes) {
      answer.body.destroy()
      return undefined
    }
    chunks.push(bytes)
  }
  const narrowed = await inTurns(onlyAllowed(Buffer.concat(chunks), refs))
  if (!narrowed) return undefined
  const known = seen.get(keyOf(asked)) ?? new Set<string>()
  if (known.size > maxIds) return undefined
  for (const id of narrowed.objects) known.add(id)
  seen.set(keyOf(asked), known)
  return { ...answer, body: Readable.from([narrowed.body]) }
}

const keyOf = ({ host, repository }: RelayPath): string => `${host}/${repository}`.toLowerCase()
