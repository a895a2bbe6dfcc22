import { moduleSources, type ModuleSource } from '../domain/git/module-sources.ts'
import { AppError } from '../domain/errors.ts'
import { advise } from '../domain/infrastructure/advise.ts'
import { adviseOnModules } from '../domain/infrastructure/advise-on-modules.ts'
import { howKilled } from '../domain/infrastructure/how-killed.ts'
import { maxPartBytes } from '../domain/infrastructure/plan-part.ts'
import { firstError, tofuMessages, type Message } from '../domain/infrastructure/tofu-messages.ts'
import { packRows } from '../domain/infrastructure/pack-rows.ts'
import { splitPlan } from '../domain/infrastructure/split-plan.ts'
import {
  type ConfigurationFiles,
  hasModule,
  mentionsModules,
} from '../domain/workspaces/configuration-files.ts'
import {
  overriddenIn,
  refusalInWords,
  refusedIn,
} from '../domain/workspaces/refused-configuration.ts'
import { JobFailure } from '../gateways/runner/job-failure.ts'
import type { Planned, PlanJob } from '../gateways/runner/protocol.ts'
import { messageOfUnusableFile } from '../gateways/sandbox/unusable-file.ts'
import type { StepEnd } from '../gateways/sandbox/workbench.ts'
import {
  compareOptions,
  comparePlan,
  readPlanFile as readTofuPlan,
} from '../gateways/tofu/plan-file/compare-plan-file.ts'
import { compareConfiguration } from '../gateways/tofu/plan-file/compare-configuration.ts'
import { compareOrigin } from '../gateways/tofu/plan-file/compare-origin.ts'
import { compareProviders } from '../gateways/tofu/plan-file/compare-providers.ts'
import { compareState } from '../gateways/tofu/plan-file/compare-state.ts'
import { assertNotLeftOut, compareVariables } from '../gateways/tofu/plan-file/compare-variables.ts'
import { PlanForged, PlanTooLarge } from '../gateways/tofu/plan-file/plan-forged.ts'
import { cutShort } from '../gateways/tofu/cut-short.ts'
import type { KeptModules } from '../gateways/tofu/module-archive.ts'
import { tofu } from '../gateways/tofu/tofu.ts'
import { learnModuleSources } from './learn-module-sources.ts'
import { judgePlan } from './judge-plan.ts'
import type { Port } from './port.ts'
import { lendTo } from './lend-to.ts'
import {
  assertMaskable,
  maskFor,
  readFiles,
  readSettings,
  type GrowingMask,
} from './read-inputs.ts'
import { openStageLines, type StageLines } from './stage-lines.ts'

/** The number of error lines that are kept to explain a failed `init`. */
const maxSaid = 200

/**
 * Plans a run: runs `init`, `plan` and `show` in the sandbox, then evaluates both gates over the output of
 * `show`. Sends the results to the worker as blobs.
 */
export async function planJob(job: PlanJob, port: Port): Promise<Planned> {
  const settings = await readSettings(port)
  assertMaskable(settings, 'plan_errored')
  const masks = maskFor(settings, job.token)
  port.onSecrets(masks.add)
  const log = openStageLines({ mask: masks.mask, send: port.log })
  try {
    const files = await readFiles(port)
    // The workspace's path may have changed since this version was stored.
    if (!hasModule(Object.keys(files), job.folder))
      throw new JobFailure(
        'plan_errored',
        `The configuration has no .tf file in ${job.folder || 'its top folder'}, where OpenTofu works.`,
      )
    // The upload checks this too. Older versions were stored without the check.
    const [refused] = refusedIn(files)
    if (refused) throw new JobFailure('plan_errored', refusalInWords(refused))
    return await planInSandbox({ job, port, log, files, settings, masks })
  } catch (error) {
    const planted = messageOfUnusableFile(error)
    if (planted !== undefined) throw new JobFailure('plan_errored', log.mask(`${planted}.`))
    // For example variables that are too large. The message is the service's, for the author.
    if (error instanceof AppError && error.fault !== 'unavailable')
      throw new JobFailure('plan_errored', log.mask(error.message))
    if (error instanceof JobFailure) throw new JobFailure(error.reason, log.mask(error.message))
    throw error
  } finally {
    await log.close()
  }
}

type Planning = {
  job: PlanJob
  port: Port
  log: StageLines
  files: ConfigurationFiles
  settings: Awaited<ReturnType<typeof readSettings>>
  masks: GrowingMask
}

async function planInSandbox(planning: Planning): Promise<Planned> {
  const { job, port, log, files, settings, masks } = planning
  const sources = mentionsModules(files) ? sourcesIn(files) : undefined
  const { bench, gitEnv, relay, hidden = [] } = await port.openBench({ use: 'run', sources })
  try {
    let error: string | undefined
    const said: string[] = []
    const tool = tofu({
      bench,
      token: job.token,
      env: settings.env,
      folder: job.folder,
      cliConfig: settings.cliConfig,
      timeoutMs: job.timeoutMs,
      signal: port.signal,
      onLine: async (stream, output) => {
        const line = hidden.reduce((text, [from, to]) => text.replaceAll(from, to), output)
        const told = error === undefined ? firstError(line) : undefined
        if (told !== undefined) error = advise(told)
        const messages: Message[] =
          stream === 'stderr' ? [{ level: 'error', line }] : tofuMessages(line)
        for (const message of messages) {
          if (message.level === 'error' && said.length < maxSaid) said.push(message.line)
          await log.write(message.level, message.line)
        }
      },
    })
    await tool.prepare(files)
    for (const name of await tool.settleVariables(files, settings.overrides))
      await log.write(
        'warn',
        `The configuration declares no variable "${name}": what the run sets for it is ignored.`,
      )
    for (const { file, type, line } of overriddenIn(files, job.folder))
      await log.write(
        'warn',
        `The "${type}" block in ${file}, line ${line}, is not used: the state is kept by this service.`,
      )
    if (relay && sources)
      await learnModuleSources({
        bench,
        ...relay,
        sources,
        signal: port.signal,
        allow: async (more, all) => port.ask('allow', { sources: more, all }),
      })
    const init = await tool.init({ gitEnv })
    // Before `plan` runs the author's code: a malicious author must not read private repositories with it.
    const { refusal } = await port.ask('closeRelay', {})
    assertWell(init, 'init', refusal ?? adviseOnModules(said) ?? error)
    if (!(await tool.usesOwnBackend()))
      throw new JobFailure(
        'plan_errored',
        'The configuration chooses another backend by an override file. Remove it: the state belongs to the workspace.',
      )
    const lockFile = await tool.readLockFile()
    const modules = await keepModules(tool, log)
    if (job.lends) await lendTo(tool, port, masks)
    assertWell(await tool.plan({ destroy: job.destroy }), 'plan', error)
    const planFile = await readPlanFile(tool)
    // A missing plan must never be read as "nothing to change".
    if (!planFile) throw new JobFailure('plan_errored', 'OpenTofu left no plan file.')
    const plan = orForged(() => readTofuPlan(planFile))
    orForged(() => compareOptions(plan, job))
    const setIn = { env: settings.env, files, folder: job.folder }
    const lacking = orForged(() => compareVariables(plan, setIn))
    if (lacking.length > 0) await assertUndeclared(tool, files, lacking)
    const state = orForged(() => compareState(planFile, plan))
    const [shown, origin] = await Promise.all([
      tool.show(lockFile, { maxBytes: job.planJsonBytes }),
      originOf(port, state),
    ])
    const moved = orForged(() => compareOrigin(plan, state, origin))
    orForged(() => compareConfiguration(planFile, tool.plannedFrom(files, modules)))
    if (shown.how === 'too_much_output') throw tooLarge(shown.stdoutBytes, job.planJsonBytes)
    assertWell(shown, 'show', error)
    const planJson = orForged((): unknown => JSON.parse(shown.stdout.toString()))
    orForged(() => comparePlan(plan, planJson))
    orForged(() => compareProviders(moved, planJson))

    await log.write('info', 'Judging the plan by policies and cost.')
    const secretValues = [...settings.secrets.map(({ value }) => value), ...masks.added]
    const judged = await judgePlan(port, {
      planJson,
      run: job.run,
      sensitiveVariables: settings.sensitiveVariables,
      secrets: secretValues,
    })
    const { summary, overview, rows } = splitPlan(planJson, {
      sensitiveVariables: settings.sensitiveVariables,
      secretValues,
    })
    for (const batch of packRows(rows)) await port.sendRows(batch)
    if (lockFile) await port.sendBlob('lock_file', lockFile)
    if (modules.kept) await port.sendBlob('modules', modules.kept.archive)
    await port.sendBlob('plan_file', planFile)
    await port.sendBlob('plan_json', shown.stdout)
    return { ...judged, summary, overview }
  } finally {
    await bench.close()
  }
}

/** Most plans lack no variable, so OpenTofu is seldom asked which ones the files declare. */
async function assertUndeclared(
  tool: ReturnType<typeof tofu>,
  files: ConfigurationFiles,
  lacking: readonly string[],
): Promise<void> {
  const declared = await tool.declaredVariables(files)
  if (!declared)
    throw new JobFailure('plan_errored', 'The variables that the files declare could not be read.')
  orForged(() => assertNotLeftOut(lacking, declared))
}

/** The workspace's state that a plan was made from; undefined where the workspace has none of that name. */
async function originOf(
  port: Port,
  { serial, lineage }: { serial: number; lineage: string },
): Promise<Buffer | undefined> {
  const { known } = await port.ask('origin', { serial, lineage })
  return known ? port.input('origin') : undefined
}

/** The limit of sources of one configuration, so that they fit into one frame. */
const maxSources = 500

const sourcesIn = (files: ConfigurationFiles): ModuleSource[] =>
  moduleSources(
    Object.entries(files).flatMap(([path, text]) =>
      /\.(tf|tofu)(\.json)?$/.test(path) ? [text] : [],
    ),
  ).slice(0, maxSources)

/** Reads data that the author's code could have forged, and ends the run if it is inconsistent. */
function orForged<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof PlanForged) throw new JobFailure('plan_forged', error.message)
    if (error instanceof PlanTooLarge) throw new JobFailure('plan_too_large', error.message)
    if (error instanceof SyntaxError)
      throw new JobFailure('plan_forged', 'The output of tofu show for the plan file is not JSON.')
    throw error
  }
}

const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`

function tooLarge(bytes: number, maxBytes: number): JobFailure {
  return new JobFailure(
    'plan_too_large',
    `The plan as JSON takes ${inMebibytes(bytes)}, and at most ${inMebibytes(maxBytes)} are judged and kept. Split the workspace into smaller ones, or have an operator raise CC_PLAN_JSON_MAX_MB.`,
  )
}

async function readPlanFile(tool: ReturnType<typeof tofu>): Promise<Buffer | undefined> {
  try {
    return await tool.readPlanFile()
  } catch (error) {
    if (!(error instanceof AppError) || error.fault !== 'too_large') throw error
    throw new JobFailure(
      'plan_too_large',
      `The plan file takes more than ${inMebibytes(maxPartBytes.plan_file)}. Split the workspace into smaller ones.`,
    )
  }
}

async function keepModules(tool: ReturnType<typeof tofu>, log: StageLines): Promise<KeptModules> {
  const modules = await tool.keepModules()
  for (const { module, commit } of modules.kept?.commits ?? [])
    await log.write('info', `Module ${module} is at commit ${commit}.`)
  return modules
}

function assertWell(end: StepEnd, what: string, error: string | undefined): void {
  if (end.how === 'exited' && end.exitCode === 0) return
  const cut = cutShort(end, what)
  if (cut) throw cut
  const ended = howKilled(end) ?? `ended with code ${end.exitCode ?? 'unknown'}`
  throw new JobFailure('plan_errored', error ? `tofu ${what}: ${error}` : `tofu ${what} ${ended}.`)
}
