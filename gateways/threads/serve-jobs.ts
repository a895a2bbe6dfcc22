import { parentPort } from 'node:worker_threads'
import type { FromThread } from './job-thread.ts'

/**
 * Does the jobs of `createJobThread`, in its thread, whose type is that of the one who made it. A job that throws ends
 * the thread.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a message has no type
export function serveJobs<Done>(work: (job: any) => Done | Promise<Done>): void {
  const say = (message: FromThread<Done>): void =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(message)
  parentPort?.on('message', (job: unknown) => {
    void (async () => say({ done: await work(job) }))()
  })
  say('ready')
}
