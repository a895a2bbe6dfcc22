import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Outbound } from '../outbound/outbound.ts'
import { BadFrame, type Frame } from '../runner/frames.ts'
import { startRunner } from '../runner/start-runner.ts'
import { createTurns } from '../runner/turns.ts'
import type { CommitRequest } from './git-host.ts'
import { moreThanIsRead } from '../../domain/git/source-too-large.ts'
import { openExchange, type Exchange } from './snapshot-exchange.ts'
import { maxEntries, type Snapshot, type SnapshotAsk } from './snapshot-protocol.ts'
import { smallSnapshot } from './small-snapshot.ts'
import { snapshotRequests, type Remote } from './snapshot-requests.ts'

export type { Remote, Snapshot }

const entry = fileURLToPath(new URL('snapshot-process.ts', import.meta.url))
/** A pack of 250 MiB takes up to 1.33 GiB: isomorphic-git keeps several copies of it. */
const memoryBytes = 1_536 * 1_048_576
const patienceMs = 150_000
const maxListingBytes = 64 * 1_048_576

const busy = 'Too many repositories of this connection are being read. Try again in a minute.'
/**
 * While a pack arrives, its process holds its bytes alone. Slow hosts wait in these places, and not in those for
 * unpacking, of which each may take more than a gigabyte. A host's client does not know the organization, so the
 * credential stands for it.
 */
const receiving = createTurns<string>({ atOnce: 8, ofOrganization: 2, waiting: 20, busy })
const unpacking = createTurns<string>({ atOnce: 3, ofOrganization: 1, waiting: 20, busy })

export type SnapshotPlace = { branch: string; commit: string | null }

/**
 * One commit of a branch, fetched by git into a folder that is gone afterwards. `commit` is null for an empty
 * repository. What is small is read here, and all else in a process of its own.
 */
export async function withSnapshot<T>(
  outbound: Outbound,
  remote: Remote,
  { work, ...at }: SnapshotPlace & { work: (s: Snapshot) => Promise<T> },
): Promise<T> {
  const gitdir = await mkdtemp(join(tmpdir(), 'cc-git-'))
  try {
    const small = await smallSnapshot(outbound, remote, {
      ...at,
      gitdir,
      elsewhere: async (ask) => inProcess(outbound, remote, { ...at, work: ask }),
    })
    if (small) return await work(small)
  } finally {
    await rm(gitdir, { recursive: true, force: true })
  }
  return inProcess(outbound, remote, { ...at, work })
}

/** Unpacking 256 MiB takes seconds and a gigabyte, which others would wait for in this process. */
async function inProcess<T>(
  outbound: Outbound,
  remote: Remote,
  { branch, commit, work }: SnapshotPlace & { work: (s: Snapshot) => Promise<T> },
): Promise<T> {
  const key = `${new URL(remote.url).origin} ${remote.authorization}`
  const leave = await receiving.take(key)
  let leaveUnpacking: (() => void) | undefined
  try {
    const gitdir = await mkdtemp(join(tmpdir(), 'cc-git-'))
    try {
      return await withProcess(remote, {
        outbound,
        async beforeUnpack() {
          leaveUnpacking ??= await unpacking.take(key)
        },
        async work(snapshot, exchange) {
          await exchange.ask(tell({ kind: 'fetch', gitdir, branch, commit }), answered('fetched'))
          return work(snapshot)
        },
      })
    } finally {
      await rm(gitdir, { recursive: true, force: true })
    }
  } finally {
    leaveUnpacking?.()
    leave()
  }
}

type ProcessWork<T> = {
  outbound: Outbound
  beforeUnpack: () => Promise<void>
  work: (snapshot: Snapshot, exchange: Exchange) => Promise<T>
}

/** The process has ended when this has, so that it writes nothing into its folder after that. */
async function withProcess<T>(
  remote: Remote,
  { outbound, beforeUnpack, work }: ProcessWork<T>,
): Promise<T> {
  const runner = startRunner({ entry, memoryBytes })
  const timer = setTimeout(() => runner.kill(), patienceMs)
  let isPushing = false
  const exchange = openExchange(
    runner,
    snapshotRequests(runner.channel, {
      outbound,
      remote,
      allows: (service) => service === 'git-upload-pack' || isPushing,
      async beforeUnpack() {
        await beforeUnpack()
        // Its wait for others is not its own time.
        timer.refresh()
      },
    }),
  )
  try {
    const snapshot: Snapshot = {
      files: async (folder) => exchange.ask(tell({ kind: 'files', folder }), collectFiles()),
      blob: async (oid, maxBytes) =>
        exchange.ask(tell({ kind: 'blob', oid, maxBytes }), collectContent(maxBytes)),
      async push(request) {
        isPushing = true
        return push(exchange, request)
      },
    }
    return await work(snapshot, exchange)
  } finally {
    runner.kill()
    runner.channel.close()
    await runner.ended
    clearTimeout(timer)
  }
}

type Send = Parameters<Exchange['ask']>[0]
type Read<T> = (frame: Frame) => { value: T } | undefined

const tell =
  (question: SnapshotAsk): Send =>
  async (channel) =>
    channel.send(question)

const answered =
  (kind: string): Read<Frame> =>
  (frame) => {
    if (frame.header.kind !== kind) throw new BadFrame('An answer is of another kind')
    return { value: frame }
  }

async function push(exchange: Exchange, request: CommitRequest): Promise<string> {
  const { branch, expectedHead, message, change } = request
  const send: Send = async (channel) => {
    for (const [path, content] of Object.entries(change.write)) {
      await tell({ kind: 'write', path })(channel)
      await channel.sendBlob('content', Buffer.from(content))
    }
    for (const path of change.remove) await tell({ kind: 'remove', path })(channel)
    await tell({ kind: 'push', branch, expectedHead, message })(channel)
  }
  const { header } = await exchange.ask(send, answered('pushed'))
  return String(header['commit'])
}

function collectFiles(): Read<Map<string, string>> {
  const files = new Map<string, string>()
  let length = 0
  return ({ header, body }) => {
    if (header.kind === 'listed') return { value: files }
    length += body.length
    if (header.kind !== 'entries' || length > maxListingBytes)
      throw new BadFrame('A listing is over its bound')
    // Written by snapshot-process.ts, in this shape.
    for (const [path, oid] of JSON.parse(body.toString()) as Array<[string, string]>)
      files.set(path, oid)
    if (files.size > maxEntries) throw new BadFrame('A listing is over its bound')
    return undefined
  }
}

function collectContent(maxBytes: number): Read<Uint8Array | null> {
  const pieces: Buffer[] = []
  let length = 0
  return ({ header, body }) => {
    if (header.kind === 'absent') return { value: null }
    if (header.kind === 'too_large') throw moreThanIsRead()
    if (header.kind === 'blob_end') return { value: Buffer.concat(pieces) }
    length += body.length
    if (length > maxBytes) throw new BadFrame('A blob is over its bound')
    pieces.push(Buffer.from(body))
    return undefined
  }
}
