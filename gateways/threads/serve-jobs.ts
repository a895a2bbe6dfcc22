import { parentPort } from 'node:worker_threads'
import type { FromThread } from './job-thread.ts'

/** Does the jobs of `createJobThread`, in its thread. A job that throws ends the thread. */
export function serveJobs<Job, Done>(work: (job: Job) => Done | Promise<Done>): void {
  const say = (message: FromThread<Done>): void =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(message)
  parentPort?.on('message', (job: Job) => {
    void (async () => say({ done: await work(job) }))()
  })
  say('ready')
}
