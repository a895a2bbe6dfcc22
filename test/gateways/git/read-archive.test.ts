import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blobId } from '../../../domain/git/blob-id.ts'
import { readArchive } from '../../../gateways/git/read-archive.ts'
import { tarFiles } from '../../../gateways/git/tar-files.ts'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import { tarOf } from '../../harness/git/tar-of.ts'

const listed = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, blobId(text)]))

describe('an archive of a repository, which is hostile input', () => {
  let server: Server
  let outbound: Outbound
  let body: Buffer
  let url: string
  beforeAll(async () => {
    server = createServer((_, response) => response.end(body))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    url = `http://127.0.0.1:${port}/`
    outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
  })
  afterAll(async () => new Promise((resolve) => server.close(resolve)))

  const read = async (archive: Buffer, files: Record<string, string>) => {
    body = archive
    const found = await readArchive(outbound, { url, headers: {} }, listed(files))
    return [...found.values()].map(String).toSorted()
  }
  const gz = (...entries: Parameters<typeof tarOf>[0]) => gzipSync(tarOf(entries))

  test('only the requested files are read, also with long names', async () => {
    const long = `a/${'x'.repeat(180)}.tf`
    const archive = gz(
      { path: 'pax', type: 'g', content: '52 comment=0000000000000000000000000000000000000000\n' },
      { path: 'repo-1/', type: '5' },
      { path: 'repo-1/a.tf', content: '# a\n' },
      { path: `repo-1/${long}`, content: '# long\n' },
      { path: 'repo-1/other.tf', content: '# other\n' },
    )
    expect(await read(archive, { 'a.tf': '# a\n', [long]: '# long\n' })).toEqual([
      '# a\n',
      '# long\n',
    ])
  })

  test('content that differs from the listed hash is refused, and so is a link', async () => {
    const archive = gz(
      { path: 'repo-1/a.tf', content: '# $Format:%H$ replaced\n' },
      { path: 'repo-1/b.tf', type: '2' },
      { path: 'repo-1/c.tf', type: '1' },
      { path: '../../etc/passwd', content: '# d\n' },
    )
    const wanted = { 'a.tf': '# a\n', 'b.tf': '# b\n', 'c.tf': '# c\n', 'd.tf': '# d\n' }
    expect(await read(archive, wanted)).toEqual([])
  })

  test('a truncated or invalid archive, or one with wrong sizes, gives the files before the fault', async () => {
    const whole = tarOf([
      { path: 'repo-1/a.tf', content: '# a\n' },
      { path: 'repo-1/b.tf', content: '# b\n' },
    ])
    const wanted = { 'a.tf': '# a\n', 'b.tf': '# b\n' }
    expect(await read(gzipSync(whole.subarray(0, 1_100)), wanted)).toEqual(['# a\n'])
    expect(await read(Buffer.from('<h1>Sign in</h1>'), wanted)).toEqual([])
    expect(await read(gzipSync(Buffer.alloc(2_048, 7)), wanted)).toEqual([])
    const huge = { path: 'repo-1/b.tf', content: '# b\n', size: 8 * 1024 ** 3 - 1 }
    expect(await read(gz({ path: 'repo-1/a.tf', content: '# a\n' }, huge), wanted)).toEqual([
      '# a\n',
    ])
    const header = { path: 'x', type: 'x', size: 1024 ** 3 }
    expect(await read(gz(header, { path: 'repo-1/a.tf', content: '# a\n' }), wanted)).toEqual([])
  })

  test('a decompression bomb is stopped at the limit and not kept in memory', async () => {
    // Each gzip member unpacks to 64 MiB without the end of a tar. Ten members exceed the limit.
    const zeros = { path: 'repo-1/bomb', content: Buffer.alloc(64 * 1_048_576) }
    const member = gzipSync(tarOf([zeros]).subarray(0, -1024))
    const parts = Array.from({ length: 10 }, () => member)
    const before = process.memoryUsage().arrayBuffers
    const rest = gz({ path: 'repo-1/a.tf', content: '# a\n' })
    expect(await read(Buffer.concat([...parts, rest]), { 'a.tf': '# a\n' })).toEqual([])
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576)
  })

  test('a name that is too long is refused', async () => {
    async function* endless() {
      yield tarOf([{ path: 'long', type: 'L', size: 1024 ** 3 }]).subarray(0, 512)
      for (;;) yield Buffer.alloc(65_536, 'x')
    }
    const first = tarFiles(endless(), () => true).next()
    await expect(first).rejects.toThrow('too large')
  })
})
