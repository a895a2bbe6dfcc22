import type { Frame, Header } from '../../../gateways/runner/frames.ts'
import type { Runner } from '../../../gateways/runner/start-runner.ts'

/** A runner without a process, which takes all that it is sent, does `first`, and then sends these frames. */
export function scriptedRunner(
  frames: ReadonlyArray<{ header: Header; body?: Buffer }>,
  first: () => Promise<void> = async () => undefined,
): Runner {
  const sent = async function* (): AsyncGenerator<Frame> {
    await first()
    for (const { header, body = Buffer.alloc(0) } of frames) yield { header, body }
  }
  const take = async () => undefined
  const channel = { frames: sent(), send: take, sendPieces: take, sendBlob: take, close: take }
  return {
    pid: 0,
    channel,
    ended: Promise.resolve({ how: 'killed', exitCode: null }),
    memory: async () => 0,
    kill: () => undefined,
  } as unknown as Runner
}

/** The frames of a job that ends well. */
export const endingWith = (result: unknown): Array<{ header: Header; body?: Buffer }> => [
  { header: { kind: 'blob', name: 'result' }, body: Buffer.from(JSON.stringify(result)) },
  { header: { kind: 'done' } },
]

export const failingWith = (reason: string): Array<{ header: Header }> => [
  { header: { kind: 'failed', reason, message: 'late' } },
]
