import { AppError } from '../domain/errors.ts'
import { howKilled, stepMemoryExceeded } from '../domain/infrastructure/how-killed.ts'
import { firstError, tofuMessages } from '../domain/infrastructure/tofu-messages.ts'
import type { ConfigurationFiles } from '../domain/workspaces/configuration-files.ts'
import { refusalInWords, refusedIn } from '../domain/workspaces/refused-configuration.ts'
import { stateMarks } from '../domain/workspaces/state-marks.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import type { Applied, ApplyJob, Settings } from '../gateways/runner/protocol.ts'
import { messageOfUnusableFile } from '../gateways/sandbox/unusable-file.ts'
import type { StepEnd, Workbench } from '../gateways/sandbox/workbench.ts'
import { tofu } from '../gateways/tofu/tofu.ts'
import { sha256, type Port } from './port.ts'
import { lendTo } from './lend-to.ts'
import {
  assertMaskable,
  maskFor,
  readFiles,
  readSettings,
  type GrowingMask,
} from './read-inputs.ts'
import { openStageLines, type StageLines } from './stage-lines.ts'

/** The number of lines of `init` that are held back, to log them only if `init` fails. */
const maxUnsaid = 500

/**
 * Applies a stored plan. The runner receives the whole plan first and then asks the worker for the right
 * to apply. The worker compares the hashes of the received parts with those of the approved plan.
 */
export async function applyJob(job: ApplyJob, port: Port): Promise<Applied> {
  const settings = await readSettings(port)
  const stored = {
    lockFile: orNothing(await port.input('lock_file')),
    modules: orNothing(await port.input('modules')),
    planFile: await port.input('plan_file'),
  }
  const files = await readFiles(port)
  // Checked before `begin`. Only plans that an earlier version of the service made can fail here.
  assertMaskable(settings, 'apply_errored')
  const [refused] = refusedIn(files)
  if (refused)
    throw new JobFailure(
      'plan_stale',
      `The plan no longer holds: ${refusalInWords(refused)}. Start a new run.`,
    )
  const { token } = await port.ask('begin', {
    sha256: {
      plan_file: sha256(stored.planFile),
      ...(stored.lockFile && { lock_file: sha256(stored.lockFile) }),
      ...(stored.modules && { modules: sha256(stored.modules) }),
    },
  })
  if (token === undefined) return { begun: false }
  const masks = maskFor(settings, token)
  port.onSecrets(masks.add)
  const log = openStageLines({ mask: masks.mask, send: port.log })
  const { bench } = await port.openBench({ use: 'run', sources: undefined })
  try {
    return await applyStored({ job, port, log, settings, files, stored, token, bench, masks })
  } finally {
    await bench.close()
    await log.close()
  }
}

/** The worker sends an empty blob for a part that the plan does not have. */
const orNothing = (bytes: Buffer): Buffer | undefined => (bytes.length > 0 ? bytes : undefined)

type Applying = {
  job: ApplyJob
  port: Port
  log: StageLines
  settings: Settings
  files: ConfigurationFiles
  stored: { planFile: Buffer; lockFile: Buffer | undefined; modules: Buffer | undefined }
  token: string
  bench: Workbench
  masks: GrowingMask
}

async function applyStored(applying: Applying): Promise<Applied> {
  const { job, port, log, settings, files, stored, token, bench } = applying
  let error: string | undefined
  // The plan's log has the output of init; here it is only logged if init fails.
  let unsaid: Array<[stream: 'stdout' | 'stderr', line: string]> | undefined = []
  const say = async (stream: 'stdout' | 'stderr', line: string) => {
    if (stream === 'stderr') return log.write('error', line)
    for (const message of tofuMessages(line)) await log.write(message.level, message.line)
  }
  const tool = tofu({
    bench,
    token,
    env: settings.env,
    folder: job.folder,
    cliConfig: settings.cliConfig,
    timeoutMs: job.timeoutMs,
    signal: port.signal,
    onLine: async (stream, line) => {
      const told = error === undefined ? firstError(line) : undefined
      if (told !== undefined) error = log.mask(told)
      if (unsaid && unsaid.length < maxUnsaid) unsaid.push([stream, line])
      else await say(stream, line)
    },
  })
  await tool.prepare(files)
  try {
    await tool.settleVariables(files)
    await tool.restore(stored)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await log.write('error', error.message)
    throw new JobFailure('apply_errored', error.message)
  }
  await log.write('info', 'Preparing the stored plan.')
  const init = await tool.init({
    lockReadonly: stored.lockFile !== undefined,
    keepModules: stored.modules !== undefined,
  })
  if (init.exitCode !== 0 || !(await tool.usesOwnBackend())) {
    for (const [stream, line] of unsaid) await say(stream, line)
    await log.write('error', error ?? 'tofu init failed before anything was applied')
    // Exit code 0 of `init` must not count as a successful apply.
    return ended({ ...init, exitCode: init.exitCode === 0 ? 1 : init.exitCode }, error)
  }
  unsaid = undefined
  if (job.lends) await lendTo(tool, port, applying.masks)
  await port.ask('spawn', {})
  const applied = await tool.apply((group) => port.tellGroup(group))
  if (applied.exitCode === 0) return ended(applied, error)
  const unsaved = await tool.readErroredState().catch(async (thrown: unknown) => {
    const planted = messageOfUnusableFile(thrown)
    if (planted === undefined) throw thrown
    await log.write('error', `${planted}.`)
    error = log.mask(
      `${error ?? 'tofu apply failed.'} ${planted}, so a state that was not saved is lost.`,
    )
    return undefined
  })
  if (!unsaved) return ended(applied, error)
  await keepUnsaved(port, unsaved)
  return { ...ended(applied, error), unsaved: true }
}

/** Waits until the worker has stored the state: it is the only record of the resources that were created. */
async function keepUnsaved(port: Port, body: Buffer): Promise<void> {
  const { known } = await port.ask('keepState', { ...stateMarks(body), sha256: sha256(body) })
  if (known) return
  await port.sendBlob('errored_state', body)
  await port.ask('stateSent', {})
}

function ended(end: StepEnd, error: string | undefined): Applied {
  const { how, exitCode, limit } = end
  if (limit === 'memory')
    return { begun: true, how, exitCode, limit, message: stepMemoryExceeded('apply') }
  const message =
    error ?? `tofu apply ${howKilled(end) ?? `ended with code ${exitCode ?? 'unknown'}`}.`
  return { begun: true, how, exitCode, message: message.slice(0, 1_000) }
}
