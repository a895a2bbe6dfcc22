import { fileURLToPath } from 'node:url'
import type { Frame } from '../runner/frames.ts'
import { startRunner, type Runner } from '../runner/start-runner.ts'

/** A process that splits states, one after the other. */
export type Splitter = { runner: Runner; frames: AsyncIterator<Frame> }

const entry = fileURLToPath(new URL('split-state-process.ts', import.meta.url))
const memoryBytes = 1_536 * 1_048_576

/** After a larger state its process is ended: what is left of that would count as the next one's memory. */
export const keepUpToBytes = 1_048_576
const keepMs = 5_000
const keepAtMost = 4

/** By organization. A process never sees states of two. */
const kept = new Map<number, Splitter>()

/**
 * The process that was kept for this organization, else a new one. A start is what costs: `fork` copies the page
 * tables of this process, which blocks its event loop for 5 ms for each 100 MB (docs/decisions/0215).
 */
export async function takeSplitter(organizationId: number): Promise<Splitter> {
  const own = kept.get(organizationId)
  kept.delete(organizationId)
  // It may have been killed, and this process not have been told yet.
  if (own && (await own.runner.memory()) > 0) return own
  const runner = startRunner({ entry, memoryBytes })
  return { runner, frames: runner.channel.frames[Symbol.asyncIterator]() }
}

/** Keeps a process that has answered to the end for the organization's next state, which may come soon. */
export function keepSplitter(organizationId: number, splitter: Splitter): void {
  const drop = () => {
    if (kept.get(organizationId) !== splitter) return
    kept.delete(organizationId)
    endSplitter(splitter)
  }
  const other = kept.get(organizationId)
  if (other) endSplitter(other)
  kept.set(organizationId, splitter)
  void splitter.runner.ended.then(drop)
  setTimeout(drop, keepMs).unref()
  const [oldest] = kept
  if (kept.size > keepAtMost && oldest) {
    kept.delete(oldest[0])
    endSplitter(oldest[1])
  }
}

export function endSplitter({ runner }: Splitter): void {
  runner.kill()
  runner.channel.close()
}
