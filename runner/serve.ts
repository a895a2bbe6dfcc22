import { Socket } from 'node:net'
import { AppError } from '../domain/errors.ts'
import type { RunReason } from '../domain/runs/run-state.ts'
import { openChannel } from '../gateways/runner/channel.ts'
import { maxResultBytes, type JobEnd, type RunnerJob } from '../gateways/runner/protocol.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import { messageOfUnusableFile } from '../gateways/sandbox/unusable-file.ts'
import { applyJob } from './apply-job.ts'
import { buildJob } from './build-job.ts'
import { judgeJob } from './judge-job.ts'
import { planJob } from './plan-job.ts'
import { openJobs, type Port } from './port.ts'

/** Runs the worker's jobs one after the other and reports the end of each, until the process is ended. */
export async function serve(): Promise<void> {
  // Stack traces without messages: a message may contain a tenant's data.
  Error.prepareStackTrace = (_error, sites) =>
    sites
      .slice(0, 4)
      .map((site) => `${site.getFileName()?.split('/').at(-1)}:${site.getLineNumber()}`)
      .join(' < ')
  const socket = new Socket({ fd: 3 })
  // The worker has ended. The steps end with this process.
  socket.once('close', () => process.exit(0))
  const channel = openChannel(socket)
  const jobs = openJobs(channel)
  void jobs.pump().catch(() => process.exit(1))
  for (;;) {
    const { job, port } = await jobs.next()
    const end = await endOf(job, port)
    await channel.send({ ...end })
  }
}

async function endOf(job: RunnerJob, port: Port): Promise<JobEnd> {
  try {
    const result = Buffer.from(JSON.stringify(await work(job, port)))
    if (result.length > maxResultBytes)
      throw new JobFailure(
        'plan_too_large',
        'The results of policies and prices take more than 1 MiB. Shorten the messages of the policies, or split the workspace.',
      )
    await port.sendBlob('result', result)
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof JobFailure)
      return { kind: 'failed', reason: error.reason, message: error.message.slice(0, 1_000) }
    const reason = reasonOf[job.kind]
    const planted = messageOfUnusableFile(error)
    if (planted !== undefined)
      return { kind: 'failed', reason, message: `${planted}.`.slice(0, 1_000) }
    // For example a full folder. The run caused it, and the service wrote the message.
    if (error instanceof AppError && error.fault !== 'unavailable')
      return { kind: 'failed', reason, message: error.message.slice(0, 1_000) }
    const { name, stack } = error instanceof Error ? error : new Error('unknown')
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { kind: 'broken', name: name.slice(0, 100), code, at: stack?.slice(0, 500) ?? '' }
  }
}

const reasonOf = {
  plan: 'plan_errored',
  apply: 'apply_errored',
  judge: 'plan_errored',
  build: 'build_errored',
} as const satisfies Record<RunnerJob['kind'], RunReason>

async function work(job: RunnerJob, port: Port): Promise<object> {
  if (job.kind === 'plan') return planJob(job, port)
  if (job.kind === 'apply') return applyJob(job, port)
  if (job.kind === 'build') return buildJob(job, port)
  return judgeJob(job, port)
}
