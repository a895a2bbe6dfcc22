import { Worker } from 'node:worker_threads'

export type JobThread<Job, Done> = {
  /** Waits for its turn. Undefined if the thread hung or ended over this job. */
  run(job: Job): Promise<Done | undefined>
  close(): Promise<void>
}

export type JobThreadOptions = {
  /** A module that calls `serveJobs`. */
  script: URL
  /** A job that takes longer is lost, and the thread with it. */
  timeoutMs: number
  heapMb: number
}

/** Loading the thread's modules takes a while on a busy machine. */
const startMs = 30_000

/**
 * A thread that does one job after another, so that none of them blocks the event loop. It starts with the first job,
 * and again after one that hung or ended it.
 */
export function createJobThread<Job, Done>(options: JobThreadOptions): JobThread<Job, Done> {
  let worker: Worker | undefined
  let ready = false
  let timer: NodeJS.Timeout | undefined
  let busy: Waiting<Job, Done> | undefined
  const queue: Array<Waiting<Job, Done>> = []

  const limitTime = () => {
    clearTimeout(timer)
    if (busy) timer = setTimeout(lose, ready ? options.timeoutMs : startMs)
  }
  const finish = (done: Done | undefined) => {
    clearTimeout(timer)
    const current = busy
    busy = undefined
    current?.settle(done)
    next()
  }
  const lose = () => {
    const lost = worker
    worker = undefined
    ready = false
    lost?.removeAllListeners()
    void lost?.terminate()
    if (busy) finish(undefined)
  }
  const start = (): Worker => {
    const started = new Worker(options.script, {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
    })
    started.on('message', (message: FromThread<Done>) => {
      if (message !== 'ready') return finish(message.done)
      ready = true
      limitTime()
    })
    started.on('error', lose)
    started.on('exit', lose)
    // A process that has nothing else to do may end.
    started.unref()
    return started
  }
  const next = () => {
    if (busy) return
    busy = queue.shift()
    if (!busy) return
    worker ??= start()
    limitTime()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(busy.job)
  }

  return {
    run: async (job) =>
      new Promise((settle) => {
        queue.push({ job, settle })
        next()
      }),
    async close() {
      clearTimeout(timer)
      worker?.removeAllListeners()
      await worker?.terminate()
    },
  }
}

type Waiting<Job, Done> = { job: Job; settle: (done: Done | undefined) => void }

/** What a thread says: that it is ready, then the end of each job. */
export type FromThread<Done> = 'ready' | { done: Done }
