import type { Frame } from './frames.ts'
import { startRunner, type Runner } from './start-runner.ts'

/** A process for the bytes of one organization, which answers one request after the other. */
export type KeptProcess = { runner: Runner; frames: AsyncIterator<Frame> }

const keepMs = 5_000
const keepAtMost = 4

type Kept = {
  process: KeptProcess
  /** Whether it has answered its last request to the end, and can take another one. */
  ready: Promise<boolean>
  timer: NodeJS.Timeout
}

/**
 * Processes of one program that are kept for a while. A start is what costs: `fork` copies the page tables of this
 * process, which blocks its event loop for 5 ms for each 100 MB (docs/decisions/0215).
 */
export function keptProcesses(program: { entry: string; memoryBytes: number }) {
  /** By organization. A process never sees requests of two. */
  const kept = new Map<number, Kept>()

  const remove = (organizationId: number): Kept | undefined => {
    const own = kept.get(organizationId)
    clearTimeout(own?.timer)
    kept.delete(organizationId)
    return own
  }
  const drop = (organizationId: number): void => {
    const own = remove(organizationId)
    if (own) endProcess(own.process)
  }

  return {
    /** The process that was kept for this organization, else a new one. */
    async take(organizationId: number): Promise<KeptProcess> {
      const own = remove(organizationId)
      // It may have been killed, and this process not have been told yet.
      if (own && (await own.ready) && (await own.process.runner.memory()) > 0) return own.process
      const runner = startRunner(program)
      const started = { runner, frames: runner.channel.frames[Symbol.asyncIterator]() }
      void runner.ended.then(() => {
        if (kept.get(organizationId)?.process === started) remove(organizationId)
      })
      return started
    },

    /** Keeps a process for the organization's next request, which may come before it is ready. */
    keep(
      organizationId: number,
      process: KeptProcess,
      ready: Promise<boolean> = Promise.resolve(true),
    ): void {
      drop(organizationId)
      const timer = setTimeout(() => drop(organizationId), keepMs).unref()
      kept.set(organizationId, { process, ready, timer })
      const [oldest] = kept.keys()
      if (kept.size > keepAtMost && oldest !== undefined) drop(oldest)
    },
  }
}

export function endProcess({ runner }: KeptProcess): void {
  runner.kill()
  runner.channel.close()
}
