import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import type { Platform } from '../start-platform.ts'

export type FollowedLine = { seq: number; line: string; atMs: number }

/** The lines of a stage as the console follows them, each with the moment at which it came, until the stage is over. */
export async function* followLog(
  { address, cookie }: Pick<Platform, 'address' | 'cookie'>,
  { runs, runId, stage }: { runs: string; runId: number; stage: string },
): AsyncGenerator<FollowedLine> {
  const url = `${address}${runs}/${runId}/logs?stage=${stage}`
  const headers = { accept: 'text/event-stream', cookie: cookie() }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on('error', reject)
  })
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`)
  for await (const text of createInterface({ input: answer })) {
    if (!text.startsWith('data: ')) continue
    const { seq, line } = JSON.parse(text.slice('data: '.length)) as Partial<FollowedLine>
    if (seq !== undefined && line !== undefined) yield { seq, line, atMs: Date.now() }
  }
}
