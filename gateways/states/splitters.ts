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

type Kept = {
  splitter: Splitter
  /** Whether it has passed on its last state to the end, and can split another one. */
  ready: Promise<boolean>
  timer: NodeJS.Timeout
}

/** By organization. A process never sees states of two. */
const kept = new Map<number, Kept>()

/**
 * The process that was kept for this organization, else a new one. A start is what costs: `fork` copies the page
 * tables of this process, which blocks its event loop for 5 ms for each 100 MB (docs/decisions/0215).
 */
export async function takeSplitter(organizationId: number): Promise<Splitter> {
  const own = remove(organizationId)
  // It may have been killed, and this process not have been told yet.
  if (own && (await own.ready) && (await own.splitter.runner.memory()) > 0) return own.splitter
  const runner = startRunner({ entry, memoryBytes })
  const splitter = { runner, frames: runner.channel.frames[Symbol.asyncIterator]() }
  void runner.ended.then(() => {
    if (kept.get(organizationId)?.splitter === splitter) remove(organizationId)
  })
  return splitter
}

/** Keeps a process for the organization's next state, which may come before the last one's end has. */
export function keepSplitter(
  organizationId: number,
  splitter: Splitter,
  ready: Promise<boolean> = Promise.resolve(true),
): void {
  drop(organizationId)
  const timer = setTimeout(() => drop(organizationId), keepMs).unref()
  kept.set(organizationId, { splitter, ready, timer })
  const [oldest] = kept.keys()
  if (kept.size > keepAtMost && oldest !== undefined) drop(oldest)
}

export function endSplitter({ runner }: Splitter): void {
  runner.kill()
  runner.channel.close()
}

function remove(organizationId: number): Kept | undefined {
  const own = kept.get(organizationId)
  clearTimeout(own?.timer)
  kept.delete(organizationId)
  return own
}

function drop(organizationId: number): void {
  const own = remove(organizationId)
  if (own) endSplitter(own.splitter)
}
