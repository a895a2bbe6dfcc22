import { afterAll, beforeEach, expect, test } from 'vitest'
import { blobId } from '../../../domain/git/blob-id.ts'
import {
  readSourceFiles,
  type EarlierFiles,
} from '../../../gateways/configurations/read-configuration.ts'
import { configurationReaders } from '../../harness/configuration-readers.ts'

const commit = 'a'.repeat(40)
const organizationId = 1
const large = `# ${'x'.repeat(60_000)}\n`
const copies = new Map(Array.from({ length: 20 }, (_, at) => [`f${at}.tf`, blobId(large)] as const))

const killReaders = () => configurationReaders().forEach((pid) => process.kill(pid, 'SIGKILL'))
async function endReaders(): Promise<void> {
  killReaders()
  await expect.poll(configurationReaders, { timeout: 20_000, interval: 5 }).toEqual([])
}
beforeEach(endReaders)
afterAll(killReaders)

const earlierOf = (files: Record<string, string>): EarlierFiles => {
  const text = Buffer.from(JSON.stringify(files))
  return {
    sizeBytes: text.length,
    pieces: (async function* () {
      for (let at = 0; at < text.length; at += 1_000) yield text.subarray(at, at + 1_000)
    })(),
  }
}

test('a small configuration is read here', async () => {
  const source = { listed: new Map([['a.tf', blobId('# a')]]), contents: new Map() }
  const read = readSourceFiles(organizationId, {
    source,
    earlier: earlierOf({ 'a.tf': '# a' }),
    commit,
  })
  expect(await read).toMatchObject({ unchanged: true, names: ['a.tf'] })
  expect(configurationReaders()).toEqual([])
})

test('many copies of a small file are read by the process: one that was fetched, and one that was known', async () => {
  const contents = new Map([[blobId(large), Buffer.from(large)]])
  const fetched = await readSourceFiles(organizationId, {
    source: { listed: copies, contents },
    earlier: undefined,
    commit,
  })
  expect(fetched.names).toHaveLength(20)
  expect(configurationReaders()).toHaveLength(1)
  await endReaders()
  const known = await readSourceFiles(organizationId, {
    source: { listed: copies, contents: new Map() },
    earlier: earlierOf({ 'f0.tf': large }),
    commit,
  })
  expect([known.unchanged, known.sha256]).toEqual([false, fetched.sha256])
  expect(configurationReaders()).toHaveLength(1)
})

test('a version that cannot be opened keeps its error, and takes no process', async () => {
  const pieces = (async function* (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(100_000, ' ')
    throw new Error('tampered with')
  })()
  const source = { listed: copies, contents: new Map() }
  const read = readSourceFiles(organizationId, {
    source,
    earlier: { sizeBytes: 200_000, pieces },
    commit,
  })
  await expect(read).rejects.toThrow('tampered with')
  expect(configurationReaders()).toEqual([])
})

test('a fault of the reader is ours, not an outage, and the next one is read', async () => {
  const source = { listed: new Map([['a.tf', '0'.repeat(40)]]), contents: new Map() }
  const earlier = () => earlierOf({ 'b.tf': large + large })
  const read = readSourceFiles(organizationId, { source, earlier: earlier(), commit })
  const error = await read.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    message: 'the process that reads configurations failed: Error',
  })
  expect(error).not.toHaveProperty('fault')
  const listed = new Map([...copies.keys()].map((path) => [path, blobId(large)]))
  const next = await readSourceFiles(organizationId, {
    source: { listed, contents: new Map([[blobId(large), Buffer.from(large)]]) },
    earlier: earlier(),
    commit,
  })
  expect(next.unchanged).toBe(false)
})
