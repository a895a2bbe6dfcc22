import { invalid } from '../../domain/errors.ts'
import { whyTooLarge } from '../../domain/workspaces/variable-bounds.ts'
import { maxPartBytes } from '../../domain/infrastructure/plan-part.ts'
import { assignedVariables } from '../../domain/workspaces/assigned-variables.ts'
import { backendOverrideFile } from '../../domain/workspaces/configuration-files.ts'
import { variablesOfInit } from '../../domain/workspaces/init-variables.ts'
import type { LentToSteps } from '../runner/protocol.ts'
import type { Step, StepEnd, StepLimits, Workbench } from '../sandbox/workbench.ts'
import { connectedSettings } from './connected-settings.ts'
import { readDeclaredVariables, type DeclaredVariables } from './declared-variables.ts'
import { moduleArchive, type KeptModules } from './module-archive.ts'
import { noEncryption, isOfNoEncryption } from './no-encryption.ts'
import { isOwnBackend } from './own-backend.ts'
import type { PlannedFrom } from './plan-file/compare-configuration.ts'
import { withProviderInstallation } from './read-cli-config.ts'
import { namesInEnv, variableArguments } from './variable-arguments.ts'
import { writeFiles } from './write-files.ts'

/** Folders of a run's workbench: the files, what `init` fetched, and what the run itself made. */
const configuration = 'config'
const data = 'data'
const out = 'out'
/** Read-only for steps: otherwise a plan's code could choose the programs of later ones (`dev_overrides`). */
const settings = 'settings'
/** The read-only folder in which `show` runs, with the plan's lock file alone. */
const reading = 'reading'
/** The run's files once more, read-only: they are read after the plan, whose code may have changed the others. */
const copy = 'copy'

const planFile = `${out}/plan.bin`
const backendOverride = JSON.stringify({ terraform: { backend: { http: {} } } })
const maxCountedBytes = 1024 ** 3

export type TofuOptions = {
  bench: Workbench
  token: string
  /** Variables as TF_VAR_… and the workspace's own environment. */
  env: Readonly<Record<string, string>>
  /** The folder of the configuration in which OpenTofu works; empty is the top. */
  folder?: string
  /** The operator's CLI configuration (mirrors, caches), if there is one. */
  cliConfig?: string | undefined
  timeoutMs: number
  signal: AbortSignal
  onLine: (stream: 'stdout' | 'stderr', line: string) => Promise<void>
}

const gigabyte = 1024 ** 3
const limits = (timeoutMs: number): StepLimits => ({
  timeoutMs,
  silenceMs: 10 * 60_000,
  memoryBytes: 4 * gigabyte,
  processes: 512,
  fileSizeBytes: 2 * gigabyte,
})

const inFolder = (name: string) => `${configuration}/${name}`
/** From a folder of the workbench to its top. */
const toTop = (folder: string) => '../'.repeat(folder.split('/').length)

/** Linux would refuse to start the program, with an error that does not say what to change. */
function assertFits(env: Readonly<Record<string, string>>): void {
  const fault = whyTooLarge(env)
  if (fault !== undefined) throw invalid(fault, undefined, 'variables_too_large')
}

/** Advice for people at a terminal, which nobody has here. */
const isForTerminals = (line: string): boolean =>
  line.includes('"type":"version"') || line.includes('"You may now begin working with OpenTofu.')

/** OpenTofu in a workbench. Each command is a step of its own (docs/decisions/0007-sandbox.md). */
export function tofu(options: TofuOptions) {
  const { bench, token, env, signal, onLine } = options
  const root = options.folder ? `${configuration}/${options.folder}` : configuration
  const lockFile = `${root}/.terraform.lock.hcl`
  const dataFolder = `${toTop(root)}${data}`
  const deadline = Date.now() + options.timeoutMs
  const fixed = {
    TF_ENCRYPTION: noEncryption,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    // Relative: a plan file has its modules' folders, and without bubblewrap each workbench has another path.
    TF_DATA_DIR: dataFolder,
    TF_CLI_CONFIG_FILE: bench.inside(`${settings}/tofu.rc`),
    HOME: bench.inside(out),
    PATH: '/usr/bin:/bin',
    TMPDIR: '/tmp',
    // Nobody can answer a prompt, so git reports at once what it lacks.
    GIT_TERMINAL_PROMPT: '0',
  }
  const connected = connectedSettings(bench, token)

  /** What overrides the configuration's .tfvars files; empty until `settleVariables`. */
  let over: Readonly<Record<string, string>> = {}

  /** What directs the clouds' libraries to lent credentials; empty until `lend`. */
  let lentEnv: Readonly<Record<string, string>> = {}

  type Env = Readonly<Record<string, string>>
  type More = Partial<Step> & { gitEnv?: Env | undefined; variables?: Env }
  const run = async (
    args: readonly string[],
    // The allow-list unless a step runs the author's code anyway.
    { gitEnv, variables = variablesOfInit(env), ...step }: More = {},
  ): Promise<StepEnd> =>
    bench.run({
      program: 'tofu',
      args,
      // Fixed settings come last, so that nothing of a workspace overrides them.
      env: {
        ...variables,
        ...gitEnv,
        ...over,
        ...fixed,
        ...(step.network === 'none' ? {} : { ...connected, ...lentEnv }),
      },
      cwd: root,
      network: 'run',
      limits: limits(Math.max(1_000, deadline - Date.now())),
      signal,
      onLine: async (stream, line) => (isOfNoEncryption(line) ? undefined : onLine(stream, line)),
      ...step,
      readOnly: [settings, reading, copy, ...(step.readOnly ?? [])],
    })
  const archive = moduleArchive({ bench, data, dataFolder, run: async (step) => run([], step) })

  return {
    async prepare(files: Readonly<Record<string, string>>): Promise<void> {
      for (const folder of [root, data, out, settings, reading, copy])
        await bench.makeFolder(folder)
      await bench.write(`${settings}/tofu.rc`, withProviderInstallation(options.cliConfig ?? ''))
      await writeFiles(bench, configuration, files)
      await bench.write(`${root}/${backendOverrideFile}`, backendOverride)
    },

    /** What OpenTofu reads of a plan's files, by their paths in the workbench. */
    plannedFrom(
      files: Readonly<Record<string, string>>,
      { installed, kept }: KeptModules,
    ): PlannedFrom {
      const written = Object.entries(files).map(([name, text]) => [inFolder(name), text] as const)
      const ours = [`${root}/${backendOverrideFile}`, backendOverride] as const
      const digests = kept?.digests ?? new Map<string, string>()
      return { root, files: new Map([...written, ours]), modules: digests, installed }
    },

    /**
     * Makes the variables override the configuration's .tfvars files, and returns which of the asked names the
     * configuration does not declare. Reads the configuration only where either matters.
     */
    async settleVariables(
      files: Readonly<Record<string, string>>,
      asked: readonly string[] = [],
    ): Promise<string[]> {
      const assigned = assignedVariables(files, options.folder ?? '')
      const names = namesInEnv(env).filter((name) => assigned.has(name))
      assertFits(env)
      if (names.length === 0 && asked.length === 0) return []
      const declared = await readDeclaredVariables(run, { readOnly: [data, configuration] })
      // An unreadable configuration: `init` reports why, and where.
      if (!declared) return []
      over = variableArguments(
        names.filter((name) => declared.has(name)),
        env,
      )
      assertFits({ ...env, ...over })
      return asked.filter((name) => !declared.has(name))
    },

    /** The lock file, the modules and the plan of the plan's run, for its apply. */
    async restore(saved: {
      lockFile: Buffer | undefined
      modules: Buffer | undefined
      planFile: Buffer
    }): Promise<void> {
      if (saved.modules) await archive.unpack(saved.modules)
      if (saved.lockFile) await bench.write(lockFile, saved.lockFile)
      await bench.write(planFile, saved.planFile)
    },

    /** `keepModules`: uses the present modules and fetches nothing. */
    async init(how: {
      lockReadonly?: boolean
      keepModules?: boolean
      /** The environment that directs git to the run's relay. */
      gitEnv?: Readonly<Record<string, string>> | undefined
    }): Promise<StepEnd> {
      const args = ['init', '-input=false', '-no-color', '-json']
      if (how.lockReadonly) args.push('-lockfile=readonly')
      if (how.keepModules) args.push('-get=false')
      return run(args, {
        gitEnv: how.gitEnv,
        // Its HOME, in which libraries look for programs to start.
        readOnly: [out],
        onLine: async (stream, line) =>
          isForTerminals(line) || isOfNoEncryption(line) ? undefined : onLine(stream, line),
      })
    },

    /**
     * Archives what `init` fetched of modules. Plan and apply then read the same bytes, whatever happens to a
     * branch or tag in between.
     */
    async keepModules(): Promise<KeptModules> {
      return archive.pack()
    },

    /**
     * Whether `init` configured our own state endpoint. An override file of the configuration that takes
     * precedence over ours would move the state elsewhere.
     */
    async usesOwnBackend(): Promise<boolean> {
      return isOwnBackend(await bench.read(`${data}/terraform.tfstate`, 1024 ** 2), bench.stateUrl)
    },

    /** Lends the steps from here on credentials of a cloud account. Called after `init`. */
    async lend({ env: lent, file }: Pick<LentToSteps, 'env' | 'file'>): Promise<void> {
      lentEnv = lent
      if (!file) return
      await bench.write(`${settings}/${file.name}`, file.content)
      lentEnv = { ...lent, [file.variable]: bench.inside(`${settings}/${file.name}`) }
    },

    async plan({ destroy }: { destroy: boolean }): Promise<StepEnd> {
      const args = ['plan', '-input=false', '-no-color', '-json', '-lock=false']
      return run([...args, `-out=${bench.inside(planFile)}`, ...(destroy ? ['-destroy'] : [])], {
        variables: env,
        readOnly: [data],
      })
    },

    /**
     * Reads the plan file back, without a network and after all code of its author has ended. Runs in a folder
     * without the author's files and without the workspace's variables, so that no block, file or setting of the
     * author influences the reading. The plan file has the values of variables that it needs.
     */
    async show(lock: Buffer | undefined, { maxBytes }: { maxBytes: number }): Promise<StepEnd> {
      // Without it OpenTofu does not start the providers, whose schemas it needs.
      if (lock) await bench.write(`${reading}/.terraform.lock.hcl`, lock)
      return run(['show', '-json', '-no-color', bench.inside(planFile)], {
        cwd: reading,
        env: { ...fixed, TF_DATA_DIR: `../${data}`, HOME: bench.inside(reading) },
        network: 'none',
        readOnly: [data, configuration, out],
        captureBytes: maxBytes,
        // To report its size.
        countBytes: maxCountedBytes,
      })
    },

    async apply(onSpawn: (processGroup: number) => void): Promise<StepEnd> {
      const args = ['apply', '-input=false', '-no-color', '-json', '-auto-approve']
      return run([...args, '-lock-timeout=60s', bench.inside(planFile)], {
        variables: env,
        readOnly: [data],
        onSpawn,
      })
    },

    /**
     * The variables that these files declare; undefined where OpenTofu cannot read them. Reads a copy that no step could
     * write to, because the code of a plan may have changed the files that it was made of.
     */
    async declaredVariables(
      files: Readonly<Record<string, string>>,
    ): Promise<DeclaredVariables | undefined> {
      await writeFiles(bench, copy, files)
      const cwd = options.folder ? `${copy}/${options.folder}` : copy
      return readDeclaredVariables(run, {
        cwd,
        env: {
          ...variablesOfInit(env),
          ...fixed,
          TF_DATA_DIR: `${toTop(cwd)}${data}`,
          HOME: bench.inside(reading),
        },
        readOnly: [data, configuration, out],
      })
    },

    async readPlanFile(): Promise<Buffer | undefined> {
      return bench.read(planFile, maxPartBytes.plan_file)
    },

    async readLockFile(): Promise<Buffer | undefined> {
      return bench.read(lockFile, maxPartBytes.lock_file)
    },

    /** The state that OpenTofu could not save: the only trace of what was created. */
    async readErroredState(): Promise<Buffer | undefined> {
      return bench.read(`${root}/errored.tfstate`, 128 * 1024 * 1024)
    },
  }
}
