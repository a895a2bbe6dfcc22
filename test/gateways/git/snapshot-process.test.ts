import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { withSnapshot, type Remote } from '../../../gateways/git/git-snapshot.ts'
import { openExchange } from '../../../gateways/git/snapshot-exchange.ts'
import { snapshotRequests } from '../../../gateways/git/snapshot-requests.ts'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import { startRunner } from '../../../gateways/runner/start-runner.ts'
import { bitbucketDataCenterPeer } from '../../harness/git/bitbucket-data-center-peer.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import type { GitPeer } from '../../harness/git/git-peer.ts'

const run = promisify(execFile)
const name = 'acme/large'
const megabyte = 1_048_576
let peer: GitPeer
let outbound: Outbound
let remote: Remote
let commit: string

beforeAll(async () => {
  // Other tests make such folders at the same time.
  vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'cc-test-')))
  peer = await bitbucketDataCenterPeer()
  const { port, url } = peer.server
  outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
  const content = randomBytes(6 * megabyte).toString('base64')
  await peer.createRepository(name, { 'a/one.tf': '# one\n', 'b/large': content })
  remote = {
    url: `${url}/scm/${name}.git`,
    authorization: `Bearer ${peer.token()}`,
    provider: 'Bitbucket Data Center',
  }
  const args = ['--git-dir', peer.path?.(name) ?? '', 'rev-parse', 'main']
  commit = (await run('git', args)).stdout.trim()
})
afterAll(async () => {
  await peer.close()
  await rm(tmpdir(), { recursive: true, force: true })
  vi.unstubAllEnvs()
})

const at = () => ({ branch: 'main', commit })
/** The folders of snapshots whose processes this process started. */
const foldersNow = () => readdirSync(tmpdir()).filter((one) => one.startsWith('cc-git-'))
/** The processes that this process started to read a snapshot. */
function snapshotProcesses(): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
  return children
    .split(' ')
    .filter(Boolean)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('snapshot-process'))
    .map(Number)
}

test('a pack is unpacked in another process, which has neither the address nor the credential', async () => {
  const seen = await withSnapshot(outbound, remote, {
    ...at(),
    async work(snapshot) {
      const [pid] = snapshotProcesses()
      const files = await snapshot.files('')
      return { pid, files, given: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }
    },
  })
  expect([...seen.files.keys()].toSorted()).toEqual(['a/one.tf', 'b/large'])
  expect(seen.pid).toBeGreaterThan(0)
  expect(seen.given).not.toContain('127.0.0.1')
  expect(seen.given).not.toContain(remote.authorization)
  expect(snapshotProcesses()).toEqual([])
})

test('a small repository is read here, and a large change is pushed by a process', async () => {
  const small = 'acme/small'
  await peer.createRepository(small, { 'a/one.tf': '# one\n' })
  const args = ['--git-dir', peer.path?.(small) ?? '', 'rev-parse', 'main']
  const head = (await run('git', args)).stdout.trim()
  const place = { ...remote, url: remote.url.replace(name, small) }
  const seen: number[] = []
  const watched: Outbound = {
    ...outbound,
    async stream(...asked) {
      seen.push(snapshotProcesses().length)
      return outbound.stream(...asked)
    },
  }
  const pushed = await withSnapshot(watched, place, {
    branch: 'main',
    commit: head,
    async work(snapshot) {
      const [blob = ''] = (await snapshot.files('a')).values()
      expect((await snapshot.blob(blob, 10))?.length).toBe(6)
      expect(snapshotProcesses()).toEqual([])
      expect((await failureOf(snapshot.blob(blob, 5))).code).toBe('git_source_too_large')
      const request = { branch: 'main', expectedHead: head, message: 'large' }
      const write = { 'a/large.tf': `# ${'x'.repeat(300_000)}\n` }
      return snapshot.push({ ...request, change: { write, remove: [] } })
    },
  })
  expect(pushed).toMatch(/^[0-9a-f]{40}$/)
  expect(Object.keys(await peer.tree(small)).toSorted()).toEqual(['a/large.tf', 'a/one.tf'])
  expect(seen.slice(0, 2)).toEqual([0, 0])
  expect(seen.at(-1)).toBe(1)
})

test('this process has turns while a pack is read', async () => {
  let [turns, over] = [0, false]
  const count = () => {
    turns += 1
    if (!over) setImmediate(count)
  }
  setImmediate(count)
  await withSnapshot(outbound, remote, { ...at(), work: async (one) => one.files('b') })
  over = true
  // Unpacked here, the one object of 8 MiB would be a single turn.
  expect(turns).toBeGreaterThan(100)
})

test('a larger blob than is asked for is refused, and no object is null', async () => {
  await withSnapshot(outbound, remote, {
    ...at(),
    async work(snapshot) {
      const large = (await snapshot.files('b')).get('b/large') ?? ''
      expect((await failureOf(snapshot.blob(large, megabyte))).code).toBe('git_source_too_large')
      expect(await snapshot.blob('f'.repeat(40), megabyte)).toBeNull()
      expect((await snapshot.blob(large, 10 * megabyte))?.length).toBe(8 * megabyte)
    },
  })
})

test('an AppError of the process keeps its fault and code', async () => {
  const error = await failureOf(
    withSnapshot(outbound, remote, {
      branch: 'main',
      commit: 'a'.repeat(40),
      work: async (snapshot) => snapshot.files(''),
    }),
  )
  expect([error.fault, error.code]).toEqual(['conflict', 'git_head_moved'])
})

test('an error of a request is the very error of this process', async () => {
  const lost = new Error('of this process')
  const failing: Outbound = { ...outbound, stream: async () => Promise.reject(lost) }
  const read = withSnapshot(failing, remote, { ...at(), work: async () => undefined })
  await expect(read).rejects.toBe(lost)
})

test('a killed process is an outage, and its folder is removed', async () => {
  const error = await failureOf(
    withSnapshot(outbound, remote, {
      ...at(),
      async work(snapshot) {
        for (const pid of snapshotProcesses()) process.kill(pid, 'SIGKILL')
        return snapshot.files('')
      },
    }),
  )
  expect([error.fault, error.code]).toEqual(['unavailable', 'git_unreadable'])
  expect(foldersNow()).toEqual([])
})

test('a process can name a service of git alone, and the one that it may use', async () => {
  const asked = async (header: Record<string, unknown>) => {
    const calls: string[] = []
    const runner = startRunner({
      entry: fileURLToPath(new URL('../../../gateways/git/snapshot-process.ts', import.meta.url)),
      memoryBytes: 512 * megabyte,
    })
    const rules = {
      outbound: {
        ...outbound,
        stream: async (url: string | URL) => {
          calls.push(String(url))
          return Promise.reject(new Error('requested'))
        },
      },
      remote,
      allows: (service: string) => service === 'git-upload-pack',
      beforeUnpack: async () => undefined,
    }
    const makeRequest = snapshotRequests(runner.channel, rules)
    const end = { header: { kind: 'blob_end', name: 'body' }, body: Buffer.alloc(0) }
    const made = makeRequest({ kind: 'request', ...header }, async () => end)
    const error = await made.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    runner.kill()
    return { calls, message: (error as Error).message }
  }
  const refused = { calls: [], message: expect.stringContaining('does not need') }
  const other = { service: '../../rest/api/1.0/admin', advertised: false }
  expect(await asked(other)).toEqual(refused)
  expect(await asked({ service: 'https://example.com', advertised: true })).toEqual(refused)
  expect(await asked({ service: 'git-receive-pack', advertised: true })).toEqual(refused)
  expect(await asked({ service: 'git-upload-pack', advertised: true })).toEqual({
    calls: [`${remote.url}/info/refs?service=git-upload-pack`],
    message: 'requested',
  })
})

test('a process without room for a pack is told as a repository that is too large', async () => {
  const runner = startRunner({
    entry: fileURLToPath(new URL('../../../gateways/git/snapshot-process.ts', import.meta.url)),
    // Below what Node itself takes, so that its watch ends it.
    memoryBytes: 16 * megabyte,
  })
  const exchange = openExchange(runner, async () => undefined)
  const error = await failureOf(
    exchange.ask(
      async () => undefined,
      () => undefined,
    ),
  )
  expect([error.fault, error.code]).toEqual(['conflict', 'git_repository_too_large'])
})
