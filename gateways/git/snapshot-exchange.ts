import { setTimeout as sleep } from 'node:timers/promises'
import {
  AppError,
  conflict,
  unavailable,
  type ErrorDetail,
  type Fault,
} from '../../domain/errors.ts'
import { ChannelClosed, type Channel } from '../runner/channel.ts'
import { BadFrame, type Frame, type Header } from '../runner/frames.ts'
import type { Runner } from '../runner/start-runner.ts'

export type Exchange = {
  /**
   * One question to the process: `send` writes it, and `read` gets each frame of the answer until it returns
   * something. One question is asked after the other.
   */
  ask<T>(
    send: (channel: Channel) => Promise<void>,
    read: (frame: Frame) => { value: T } | undefined,
  ): Promise<T>
}

/** Makes a request for the process, whose body follows in frames, and sends it the answer. */
export type MakeRequest = (header: Header, next: () => Promise<Frame>) => Promise<void>

/** The process is gone. Why is known when it has ended. */
class ProcessGone extends Error {}

/** Asks a process that reads a snapshot, and has its requests made. */
export function openExchange(runner: Runner, makeRequest: MakeRequest): Exchange {
  const { channel } = runner
  const frames = channel.frames[Symbol.asyncIterator]()
  const next = async (): Promise<Frame> => {
    const found = await frames.next().catch((error: unknown) => {
      throw error instanceof BadFrame ? error : new ProcessGone()
    })
    if (found.done) throw new ProcessGone()
    return found.value
  }

  const askNow: Exchange['ask'] = async (send, read) => {
    try {
      await send(channel)
      for (;;) {
        const frame = await next()
        const { kind } = frame.header
        if (kind === 'request') await makeRequest(frame.header, next)
        else if (kind === 'refused' || kind === 'failed') throw errorIn(frame.header)
        else {
          const answered = read(frame)
          if (answered) return answered.value
        }
      }
    } catch (error) {
      const isGone =
        error instanceof ProcessGone || error instanceof ChannelClosed || error instanceof BadFrame
      throw isGone ? await whyGone(runner) : error
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    async ask(send, read) {
      const answer = last.then(async () => askNow(send, read))
      last = answer.catch(() => undefined)
      return answer
    },
  }
}

/** Written by snapshot-process.ts, in this shape. */
function errorIn(header: Header): Error {
  const { kind, name, fault, message, code, details, retryAfterSeconds } = header
  if (kind === 'failed')
    return new Error(`a repository could not be read: ${String(name).slice(0, 100)}`)
  return new AppError(fault as Fault, String(message), {
    code: String(code),
    ...(Array.isArray(details) && { details: details as ErrorDetail[] }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  })
}

async function whyGone(runner: Runner): Promise<AppError> {
  // The channel closes before the process ends, and the cause of its end must not become this kill.
  await Promise.race([runner.ended, sleep(1_000, undefined, { ref: false })])
  runner.kill()
  const { how } = await runner.ended
  return how === 'memory_exceeded'
    ? conflict(
        'git_repository_too_large',
        'The repository needs more memory to be read than it may take.',
      )
    : unavailable('git_unreadable', 'The repository could not be read. Try again.')
}
