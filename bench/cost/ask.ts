import { request, type Agent } from 'node:http'
import type { BenchApi } from '../start-api.ts'

export type Answer = { status: number; ms: number; bytes: number; lines: number; tag: string }

type Asked = { agent: Agent; api: BenchApi; path: string; tag?: string }

/** Asks for a path as a signed-in person, with `tag` as If-None-Match. */
export async function ask({ agent, api, path, tag }: Asked): Promise<Answer> {
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { cookie: api.cookie, ...(tag && { 'if-none-match': tag }) }
    const sent = request(`${api.address}/api${path}`, { agent, headers })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let [bytes, lines] = [0, 0]
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        lines += linesIn(chunk)
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          ms: performance.now() - since,
          bytes,
          lines,
          tag: response.headers.etag ?? '',
        }),
      )
    })
    sent.end()
  })
}

export function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  return lines
}
