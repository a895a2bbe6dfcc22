import { join } from 'node:path'
import { whyTooLarge } from '../domain/workspaces/variable-bounds.ts'
import { maskSecrets } from '../domain/runs/mask-secrets.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import type { BuildInputs, BuildJob, BuildStep } from '../gateways/runner/protocol.ts'
import { limitOfStep } from '../gateways/sandbox/limit-of-step.ts'
import { messageOfUnusableFile } from '../gateways/sandbox/unusable-file.ts'
import type { Step, StepEnd, Workbench } from '../gateways/sandbox/workbench.ts'
import type { Port } from './port.ts'
import { assertMaskable } from './read-inputs.ts'
import { openStageLines, type StageLines } from './stage-lines.ts'

/** Runs the steps of a build one after the other, each as a script of its own in the sandbox. */
export async function buildJob(job: BuildJob, port: Port): Promise<object> {
  // Sent by a worker of the same version (activities/pipelines/run-steps.ts).
  const inputs = JSON.parse((await port.input('build')).toString()) as BuildInputs
  const { steps, variables, secrets } = inputs
  assertMaskable(inputs, 'build_errored')
  const mask = maskSecrets(secrets.map(({ value }) => value))
  const log = openStageLines({ mask, send: port.log })
  const { bench } = await port.openBench({ use: 'build' })
  const deadline = performance.now() + job.timeoutMs
  try {
    for (const folder of ['home', 'tmp']) await bench.makeFolder(folder)
    for (const [at, step] of steps.entries()) {
      await log.write('info', `Step ${at + 1} of ${steps.length}: ${step.name}`)
      const left = deadline - performance.now()
      if (left < 1)
        throw new JobFailure(
          'build_errored',
          `No time was left for the step "${step.name}": the build may take ${job.timeoutMs / 1_000} s.`,
        )
      const timeoutMs = Math.min(left, step.timeoutMs)
      const end = await runStep({ job, port, bench, log, variables }, step, timeoutMs)
      assertWell(end, step.name, timeoutMs)
    }
    return {}
  } catch (error) {
    // Names of steps and folders are the author's, who could write a secret into them.
    if (error instanceof JobFailure) throw new JobFailure(error.reason, log.mask(error.message))
    throw error
  } finally {
    await bench.close()
    await log.close()
  }
}

type Building = {
  job: BuildJob
  port: Port
  bench: Workbench
  log: StageLines
  variables: BuildInputs['variables']
}

const script = 'step.sh'

async function runStep(
  { job, port, bench, log, variables }: Building,
  step: BuildStep,
  timeoutMs: number,
): Promise<StepEnd> {
  const { printedBytes, ...limits } = job.limits
  const env = { ...environmentOf(job, bench), ...variables, ...step.env }
  const tooLarge = whyTooLarge(env)
  if (tooLarge !== undefined) throw new JobFailure('build_errored', tooLarge)
  let printed = 0
  try {
    // A file: an argument may have 128 KiB, and a script that is read from the input could be eaten by
    // its own commands.
    await bench.write(script, step.run)
    return await bench.run({
      program: 'sh',
      args: ['-e', bench.inside(script)],
      env,
      cwd: join(job.folder, step.workdir),
      network: job.isOnline ? 'run' : 'none',
      limits: { ...limits, timeoutMs },
      signal: port.signal,
      onSpawn: (group) => port.tellGroup(group),
      async onLine(_stream, line) {
        printed += line.length + 1
        if (printed > printedBytes)
          throw new JobFailure(
            'build_errored',
            `The step "${step.name}" printed more than ${Math.floor(printedBytes / 1024 ** 2)} MiB.`,
          )
        await log.write('info', line)
      },
    })
  } catch (error) {
    throw inWords(error, step)
  }
}

function environmentOf(job: BuildJob, bench: Workbench): Step['env'] {
  const paths = job.tools.flatMap((folder) => [join(folder, 'bin'), folder])
  return {
    PATH: [...paths, '/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin'].join(
      ':',
    ),
    HOME: bench.inside('home'),
    // What is below /tmp is memory.
    TMPDIR: bench.inside('tmp'),
    LANG: 'C.UTF-8',
    CI: 'true',
    ...(job.isOnline && {
      HTTP_PROXY: bench.proxyUrl,
      HTTPS_PROXY: bench.proxyUrl,
      http_proxy: bench.proxyUrl,
      https_proxy: bench.proxyUrl,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    }),
    ...job.env,
  }
}

/** What the author can mend is said with the name of the step; all else stays as it is. */
function inWords(error: unknown, { name, workdir }: BuildStep): unknown {
  const planted = messageOfUnusableFile(error)
  const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  const why = planted ?? (isGone ? `there is no folder ${workdir}` : undefined)
  return why === undefined
    ? error
    : new JobFailure('build_errored', `The step "${name}" cannot begin: ${why}.`)
}

function assertWell(end: StepEnd, name: string, timeoutMs: number): void {
  if (end.how === 'exited' && end.exitCode === 0) return
  const fail = (why: string) => new JobFailure('build_errored', `The step "${name}" ${why}.`)
  if (end.how === 'canceled') throw new JobFailure('canceled_by_user', 'Canceled.')
  if (end.how === 'timed_out')
    throw fail(`was ended: it took longer than the ${Math.ceil(timeoutMs / 1_000)} s that it had`)
  const limit = limitOfStep(end)
  if (limit !== undefined) throw fail(`was ended: ${limit}`)
  throw fail(
    end.signal === null
      ? `ended with code ${end.exitCode ?? 'unknown'}`
      : `was killed by ${end.signal}`,
  )
}
