import { gzipSync } from 'node:zlib'
import type { PeerAnswer } from './peer-server.ts'
import { tarOf } from './tar-of.ts'

type Call = (method: string, path: string) => Promise<unknown>

/**
 * "Download a repository archive (tar)", which the emulator lacks: a redirect, then a tar with one
 * folder named after the commit.
 */
export async function githubTarball(
  path: string,
  { call, origin }: { call: Call; origin: string },
): Promise<PeerAnswer | undefined> {
  const [, name = '', commit = ''] =
    /^\/repos\/([^/]+\/[^/]+)\/tarball\/([0-9a-f]{40})$/.exec(path) ?? []
  if (name !== '')
    return { status: 302, headers: { location: `${origin}/_codeload/${name}/${commit}` } }
  const [, from = '', at = ''] = /^\/_codeload\/([^/]+\/[^/]+)\/([0-9a-f]{40})$/.exec(path) ?? []
  if (from === '') return undefined
  // The emulator's answers are assumed to have the documented shape.
  const { tree } = (await call('GET', `/repos/${from}/git/trees/${at}?recursive=1`)) as {
    tree: Array<{ type: string; path: string; sha: string }>
  }
  const folder = `${from.replace('/', '-')}-${at.slice(0, 7)}`
  const entries = await Promise.all(
    tree
      .filter(({ type }) => type === 'blob')
      .map(async ({ path: file, sha }) => {
        const blob = (await call('GET', `/repos/${from}/git/blobs/${sha}`)) as { content: string }
        return { path: `${folder}/${file}`, content: Buffer.from(blob.content, 'base64') }
      }),
  )
  return {
    status: 200,
    raw: gzipSync(tarOf(entries)),
    headers: { 'content-type': 'application/x-gzip' },
  }
}
