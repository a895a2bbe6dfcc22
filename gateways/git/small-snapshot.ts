import type { HttpClient } from 'isomorphic-git'
import type { Outbound } from '../outbound/outbound.ts'
import { checkPack } from './check-pack.ts'
import { blobIn, fetchSnapshot, filesBelow, nameTreePath, remoteUrl } from './fetch-snapshot.ts'
import type { CommitRequest } from './git-host.ts'
import { hasCode } from './head-moved.ts'
import { pushCommit } from './push-commit.ts'
import { moreThanIsRead } from '../../domain/git/source-too-large.ts'
import type { Snapshot } from './snapshot-protocol.ts'
import { askRemote, type Remote } from './snapshot-requests.ts'

/** What is read in this process: most repositories of infrastructure. It takes some 50 ms at the most. */
const maxAnswerBytes = 1_048_576
const limits = { objects: 500, objectBytes: 1_048_576, unpackedBytes: 2 * 1_048_576 }
const maxListed = 5_000
const maxPushedBytes = 262_144

type SmallAt = {
  gitdir: string
  branch: string
  commit: string | null
  /** Has a process answer what would take too long here. */
  elsewhere: <T>(ask: (snapshot: Snapshot) => Promise<T>) => Promise<T>
}

/** A snapshot whose bytes are read in this process; undefined if the repository has more than is read here. */
export async function smallSnapshot(
  outbound: Outbound,
  remote: Remote,
  { elsewhere, ...at }: SmallAt,
): Promise<Snapshot | undefined> {
  const fetched = await unlessTooLarge(async () => fetchSnapshot(smallHttp(outbound, remote), at))
  if (!fetched) return undefined
  return {
    files: async (folder) =>
      (await unlessTooLarge(async () => filesBelow(fetched, folder, maxListed))) ??
      elsewhere(async (snapshot) => snapshot.files(folder)),
    async blob(oid, maxBytes) {
      const content = await blobIn(fetched, oid)
      if (content && content.length > maxBytes) throw moreThanIsRead()
      return content
    },
    push: async (request) =>
      sizeOf(request) > maxPushedBytes
        ? elsewhere(async (snapshot) => snapshot.push(request))
        : named(async () => pushCommit(fetched, request)),
  }
}

const sizeOf = ({ change: { write, remove } }: CommitRequest): number =>
  [...Object.entries(write).flat(), ...remove].reduce((sum, text) => sum + text.length, 0)

async function unlessTooLarge<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await named(work)
  } catch (error) {
    if (hasCode(error, 'git_repository_too_large') || hasCode(error, 'response_too_large'))
      return undefined
    throw error
  }
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw nameTreePath(error, '')
  }
}

/** git's smart HTTP over the checked way out. */
function smallHttp(outbound: Outbound, remote: Remote): HttpClient {
  return {
    async request({ url, method = 'GET', body }) {
      const advertised = url.startsWith(`${remoteUrl}/info/refs?service=`)
      const service = url.endsWith('git-receive-pack') ? 'git-receive-pack' : 'git-upload-pack'
      const answer = await askRemote(outbound, remote, {
        service,
        advertised,
        body: await collect(body ?? []),
        maxBytes: maxAnswerBytes,
      })
      const bytes = await collect(answer.body)
      if (service === 'git-upload-pack' && !advertised) checkPack(bytes, limits)
      return {
        url,
        method,
        statusCode: answer.status,
        statusMessage: '',
        headers: { 'content-type': answer.headers['content-type'] ?? '' },
        body: (async function* () {
          yield new Uint8Array(bytes)
        })(),
      }
    },
  }
}

async function collect(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
