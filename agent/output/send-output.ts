import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mask } from '../../domain/runs/mask-secrets.ts'
import { readObject } from '../disk/write-durably.ts'
import { messageOf } from '../faults.ts'
import type { Say } from '../say.ts'
import { createBackoff, pause } from '../service/backoff.ts'
import { neverTaken } from '../service/call-service.ts'
import type { Service } from '../service/service.ts'
import type { OutputFile } from './output-file.ts'
import { readBatch, type Place } from './read-batch.ts'

export type Sender = {
  /** Sends what is left. Returns early if the signal comes, and the next start sends it. */
  finish(): Promise<void>
}

type Sent = { batch: number; from: Place; next: Place }

const lookMs = 100

/**
 * Sends the output in numbered batches while it grows, one at a time: a service that is slow or away makes no
 * queue, since the file is the queue. Number and place of a batch are noted before it is sent. After a crash the same
 * lines are sent under the same number, and the service takes them once.
 */
export function sendOutput({
  service,
  route,
  fence,
  folder,
  output,
  mask,
  signal,
  onLost,
  say,
}: {
  service: Service
  route: string
  fence: string | number
  /** Of the deployment. */
  folder: string
  output: OutputFile
  mask: Mask
  signal: AbortSignal
  onLost: () => void
  say: Say
}): Sender {
  const path = join(folder, 'sent')
  let sent = readSent(path)
  let isUnsure = sent.batch > 0
  let isFinishing = false
  const backoff = createBackoff({ firstMs: 500, mostMs: 10_000 })

  const post = async (lines: unknown, batch: number): Promise<void> => {
    while (!signal.aborted)
      try {
        const { status, code } = await service.post(route, { fence, batch, lines }, { signal })
        const isTaken = status < 300
        if (isTaken || neverTaken.has(status)) {
          backoff.reset()
          // Left out, since those that follow would wait for it for ever.
          if (!isTaken)
            say('warn', 'the service does not take a batch of lines', { batch, status, code })
          return
        }
        if (status === 409 || status === 404) return onLost()
        say('warn', 'lines are refused, and are sent again', { status, code })
        await backoff.wait(signal)
      } catch (error) {
        if (signal.aborted) return
        say('warn', 'lines could not be sent', { why: messageOf(error) })
        await backoff.wait(signal)
      }
  }
  const next = async (): Promise<boolean> => {
    output.hold()
    if (isUnsure) {
      // The batch that was noted last may not have arrived: the same lines again.
      isUnsure = false
      const { batch, from, next } = sent
      const { lines } = readBatch(output, { from, mask, atEnd: true, until: next.at })
      if (lines.length > 0) await post(lines, batch)
      return true
    }
    const from = sent.next
    const { lines, next } = readBatch(output, { from, mask, atEnd: isFinishing })
    if (next.at === from.at) return false
    // The rest of a long line is read and not sent.
    sent = { batch: sent.batch + Math.min(1, lines.length), from, next }
    writeSent(path, sent)
    if (lines.length > 0) await post(lines, sent.batch)
    return true
  }
  const run = async () => {
    while (!signal.aborted) {
      // Asked for before the last look, so that nothing is written after it.
      const isLast = isFinishing
      if (await next()) continue
      if (isLast) return
      await pause(lookMs, signal)
    }
  }
  const running = run()

  return {
    async finish() {
      isFinishing = true
      await running
    },
  }
}

function readSent(path: string): Sent {
  const start = { at: 0, skips: false }
  // Written by this file alone.
  return (readObject(path) as Sent | undefined) ?? { batch: 0, from: start, next: start }
}

/** Not flushed to the disk: a killed process loses nothing, and after a loss of power lines may come twice. */
function writeSent(path: string, sent: Sent): void {
  try {
    writeFileSync(`${path}.new`, JSON.stringify(sent), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch {
    // On a full disk: lines may come twice after a crash, which is better than none now.
  }
}
