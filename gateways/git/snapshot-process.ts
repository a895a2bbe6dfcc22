import { Socket } from 'node:net'
import type { HttpClient } from 'isomorphic-git'
import { AppError } from '../../domain/errors.ts'
import { openChannel } from '../runner/channel.ts'
import type { Frame } from '../runner/frames.ts'
import { checkPack } from './check-pack.ts'
import {
  blobIn,
  fetchSnapshot,
  filesBelow,
  nameTreePath,
  remoteUrl,
  type FetchedSnapshot,
} from './fetch-snapshot.ts'
import { pushCommit } from './push-commit.ts'
import { collectBlob, type SnapshotAsk } from './snapshot-protocol.ts'

/**
 * Fetches one commit of one repository and answers questions about it. It communicates through descriptor 3
 * alone: it has neither the host's address nor the credential, and its parent process makes its requests.
 */
const channel = openChannel(new Socket({ fd: 3 }))
// Not by `for await`, which would close the channel with the loop.
const frames = channel.frames[Symbol.asyncIterator]()
/** How many bytes of paths one frame has, about. */
const entriesBytes = 128 * 1_024
const pieceBytes = 64 * 1_024

async function next(): Promise<Frame> {
  const { value, done } = await frames.next()
  if (done) throw new Error('the channel was closed')
  return value
}

const http: HttpClient = {
  async request({ url, method = 'GET', body }) {
    const advertised = url.startsWith(`${remoteUrl}/info/refs?service=`)
    const service = url.slice(`${remoteUrl}/${advertised ? 'info/refs?service=' : ''}`.length)
    const sent: Uint8Array[] = []
    for await (const piece of body ?? []) sent.push(piece)
    await channel.send({ kind: 'request', service, advertised })
    await channel.sendBlob('body', Buffer.concat(sent))
    const { header } = await next()
    // The parent process bounds it.
    const answer = await collectBlob(next, Infinity)
    if (service === 'git-upload-pack' && !advertised) checkPack(answer)
    return {
      url,
      method,
      statusCode: Number(header['status']),
      statusMessage: '',
      headers: { 'content-type': String(header['contentType']) },
      body: piecesOf(answer),
    }
  },
}

/** The library copies each piece, so the whole is not kept beside the copies. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

const write = new Map<string, string>()
const remove: string[] = []
let snapshot: FetchedSnapshot | undefined

function fetched(): FetchedSnapshot {
  if (!snapshot) throw new Error('nothing is fetched')
  return snapshot
}

async function answer(ask: SnapshotAsk): Promise<void> {
  switch (ask.kind) {
    case 'fetch':
      snapshot = await fetchSnapshot(http, ask)
      return channel.send({ kind: 'fetched' })
    case 'files':
      return sendFiles(await filesBelow(fetched(), ask.folder))
    case 'blob':
      return sendBlob(await blobIn(fetched(), ask.oid), ask.maxBytes)
    case 'write':
      write.set(ask.path, (await collectBlob(next, Infinity)).toString())
      return undefined
    case 'remove':
      remove.push(ask.path)
      return undefined
    case 'push': {
      const { branch, expectedHead, message } = ask
      const change = { write: Object.fromEntries(write), remove }
      const request = { branch, expectedHead, message, change }
      return channel.send({ kind: 'pushed', commit: await pushCommit(fetched(), request) })
    }
  }
}

async function sendFiles(files: ReadonlyMap<string, string>): Promise<void> {
  let [rows, bytes]: [Array<[string, string]>, number] = [[], 0]
  const flush = async () => {
    await channel.send({ kind: 'entries' }, Buffer.from(JSON.stringify(rows)))
    ;[rows, bytes] = [[], 0]
  }
  for (const row of files) {
    rows.push(row)
    // JSON writes a control character in six bytes.
    bytes += row[0].length * 6 + 50
    if (bytes > entriesBytes) await flush()
  }
  await flush()
  await channel.send({ kind: 'listed' })
}

async function sendBlob(content: Uint8Array | null, maxBytes: number): Promise<void> {
  if (content === null) return channel.send({ kind: 'absent' })
  if (content.length > maxBytes) return channel.send({ kind: 'too_large' })
  await channel.send({ kind: 'content' })
  await channel.sendBlob('content', Buffer.from(content))
}

async function refuse(thrown: unknown): Promise<void> {
  const error = nameTreePath(thrown, '')
  if (error instanceof AppError) {
    const { fault, message, code, details, retryAfterSeconds } = error
    return channel.send({ kind: 'refused', fault, message, code, details, retryAfterSeconds })
  }
  // Not its message, which can have bytes of the repository.
  await channel.send({ kind: 'failed', name: error instanceof Error ? error.name : '' })
}

for (;;) {
  const { value, done } = await frames.next()
  if (done) break
  // Written by git-snapshot.ts, in this shape.
  await answer(value.header as unknown as SnapshotAsk).catch(refuse)
}
