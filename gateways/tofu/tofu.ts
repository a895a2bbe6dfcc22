import { invalid } from '../../domain/errors.ts'
import { whyTooLarge } from '../../domain/workspaces/variable-bounds.ts'
import { maxPartBytes } from '../../domain/pipelines/plan-part.ts'
import { backendOverrideFile } from '../../domain/workspaces/configuration-files.ts'
import type { Step, StepEnd, StepLimits, Workbench } from '../sandbox/workbench.ts'
import { moduleArchive, type ModuleArchive } from './module-archive.ts'
import { noEncryption, isOfNoEncryption } from './no-encryption.ts'
import { withProviderInstallation } from './read-cli-config.ts'
import { namesInFiles, variableArguments } from './variable-arguments.ts'

/** Folders of a run's workbench: the files, what `init` fetched, and what the run itself made. */
const configuration = 'config'
const data = 'data'
const out = 'out'
/** What no step may write: a plan's code would choose the programs of the steps after it (`dev_overrides`). */
const settings = 'settings'
/** Where `show` works: nothing but the plan's lock file is in it, and no step may write to it. */
const reading = 'reading'

const planFile = `${out}/plan.bin`
const maxCountedBytes = 1024 ** 3
const maxDeclarationsBytes = 32 * 1024 * 1024

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

const folderOf = (name: string) => `${configuration}/${name}`.replace(/\/[^/]*$/, '')

/** Names of the variables of `tofu show -json -module=…`. */
function declaredIn(shown: string): string[] {
  const variables: unknown = JSON.parse(shown).root_module?.variables
  return typeof variables === 'object' && variables !== null ? Object.keys(variables) : []
}

/** Linux refuses to start a program with more, and its error names nothing that its reader could change. */
function assertFits(env: Readonly<Record<string, string>>): void {
  const fault = whyTooLarge(env)
  if (fault !== undefined) throw invalid(fault, undefined, 'variables_too_large')
}

/** What the steps after `init` say as well, and what to type next: nobody types here. */
const isForTerminals = (line: string): boolean =>
  line.includes('"type":"version"') || line.includes('"You may now begin working with OpenTofu.')

/** OpenTofu in a workbench. Each command is a step of its own (docs/decisions/0007-sandbox.md). */
export function tofu(options: TofuOptions) {
  const { bench, token, env, signal, onLine } = options
  const root = options.folder ? `${configuration}/${options.folder}` : configuration
  const lockFile = `${root}/.terraform.lock.hcl`
  const dataFolder = `${'../'.repeat(root.split('/').length)}${data}`
  const deadline = Date.now() + options.timeoutMs
  const fixed = {
    TF_ENCRYPTION: noEncryption,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    // Relative, for a plan file names the folders of its modules, and without bubblewrap each workbench lies elsewhere.
    TF_DATA_DIR: dataFolder,
    TF_CLI_CONFIG_FILE: bench.inside(`${settings}/tofu.rc`),
    HOME: bench.inside(out),
    PATH: '/usr/bin:/bin',
    TMPDIR: '/tmp',
    // There is nobody to ask: git then says at once what it lacks.
    GIT_TERMINAL_PROMPT: '0',
  }
  const connected = {
    TF_HTTP_ADDRESS: bench.stateUrl,
    TF_HTTP_LOCK_ADDRESS: bench.stateUrl,
    TF_HTTP_UNLOCK_ADDRESS: bench.stateUrl,
    TF_HTTP_USERNAME: 'run',
    TF_HTTP_PASSWORD: token,
    // Together about a minute: long enough for an API that is being restarted.
    TF_HTTP_RETRY_MAX: '12',
    TF_HTTP_RETRY_WAIT_MIN: '1',
    TF_HTTP_RETRY_WAIT_MAX: '5',
    HTTPS_PROXY: bench.proxyUrl,
    HTTP_PROXY: bench.proxyUrl,
    NO_PROXY: '127.0.0.1,localhost',
  }

  /** What is over the configuration's .tfvars files; empty until `settleVariables`. */
  let over: Readonly<Record<string, string>> = {}

  type More = Partial<Step> & { gitEnv?: Readonly<Record<string, string>> | undefined }
  const run = async (args: readonly string[], { gitEnv, ...step }: More = {}): Promise<StepEnd> =>
    bench.run({
      program: 'tofu',
      args,
      // What is fixed comes last: nothing a workspace sets can lead a run elsewhere.
      env: { ...env, ...gitEnv, ...over, ...fixed, ...(step.network === 'none' ? {} : connected) },
      cwd: root,
      network: 'run',
      limits: limits(Math.max(1_000, deadline - Date.now())),
      signal,
      onLine: async (stream, line) => (isOfNoEncryption(line) ? undefined : onLine(stream, line)),
      ...step,
      readOnly: [settings, reading, ...(step.readOnly ?? [])],
    })
  const archive = moduleArchive({ bench, data, dataFolder, run: async (step) => run([], step) })

  return {
    async prepare(files: Readonly<Record<string, string>>): Promise<void> {
      for (const folder of new Set([
        root,
        data,
        out,
        settings,
        reading,
        ...Object.keys(files).map(folderOf),
      ]))
        await bench.makeFolder(folder)
      await bench.write(`${settings}/tofu.rc`, withProviderInstallation(options.cliConfig ?? ''))
      for (const [name, content] of Object.entries(files))
        await bench.write(`${configuration}/${name}`, content)
      await bench.write(
        `${root}/${backendOverrideFile}`,
        JSON.stringify({ terraform: { backend: { http: {} } } }),
      )
    },

    /**
     * Puts the variables over the configuration's own .tfvars files, and says which of the names
     * asked for the configuration does not declare. It is asked only where either may matter.
     */
    async settleVariables(
      files: Readonly<Record<string, string>>,
      asked: readonly string[] = [],
    ): Promise<string[]> {
      const names = namesInFiles(files, options.folder ?? '', env)
      assertFits(env)
      if (names.length === 0 && asked.length === 0) return []
      const shown = await run(['show', '-json', '-no-color', '-module=.'], {
        network: 'none',
        readOnly: [data, configuration],
        captureBytes: maxDeclarationsBytes,
        onLine: () => undefined,
      })
      // A configuration that cannot be read: `init` says why, and where.
      if (shown.exitCode !== 0) return []
      const declared = new Set(declaredIn(shown.stdout.toString()))
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

    /** `keepModules`: with what is there of modules, and nothing is fetched. */
    async init(how: {
      lockReadonly?: boolean
      keepModules?: boolean
      /** What leads git to the run's relay. */
      gitEnv?: Readonly<Record<string, string>> | undefined
    }): Promise<StepEnd> {
      const args = ['init', '-input=false', '-no-color', '-json']
      if (how.lockReadonly) args.push('-lockfile=readonly')
      if (how.keepModules) args.push('-get=false')
      return run(args, {
        gitEnv: how.gitEnv,
        onLine: async (stream, line) =>
          isForTerminals(line) || isOfNoEncryption(line) ? undefined : onLine(stream, line),
      })
    },

    /**
     * Keeps what `init` fetched of modules, and puts it back from what is kept: plan and apply then
     * read the same bytes, whatever becomes of a branch or tag in between. Undefined: nothing was fetched.
     */
    async keepModules(): Promise<ModuleArchive | undefined> {
      return archive.pack()
    },

    /**
     * Whether `init` settled on our own state endpoint. A configuration may carry override
     * files of its own; one that wins over ours would take the state elsewhere.
     */
    async usesOwnBackend(): Promise<boolean> {
      const settled = await bench.read(`${data}/terraform.tfstate`, 1024 * 1024)
      if (!settled) return false
      try {
        const { backend } = JSON.parse(settled.toString())
        const address: unknown = backend?.config?.address
        return (
          backend?.type === 'http' &&
          (address === null || address === undefined || address === bench.stateUrl)
        )
      } catch {
        return false
      }
    },

    async plan({ destroy }: { destroy: boolean }): Promise<StepEnd> {
      const args = ['plan', '-input=false', '-no-color', '-json', '-lock=false']
      return run([...args, `-out=${bench.inside(planFile)}`, ...(destroy ? ['-destroy'] : [])], {
        readOnly: [data],
      })
    },

    /**
     * Reads the plan file back, without a network and after everything that its author's code could
     * touch is over. It works in a folder without the author's files and without the workspace's
     * variables, so that no block, file or setting of the author has a part in the reading. The
     * values of variables that it needs are in the plan file.
     */
    async show(lock: Buffer | undefined, { maxBytes }: { maxBytes: number }): Promise<StepEnd> {
      // Without it OpenTofu does not start the providers, whose schemas it reads the plan by.
      if (lock) await bench.write(`${reading}/.terraform.lock.hcl`, lock)
      return run(['show', '-json', '-no-color', bench.inside(planFile)], {
        cwd: reading,
        env: { ...fixed, TF_DATA_DIR: `../${data}`, HOME: bench.inside(reading) },
        network: 'none',
        readOnly: [data, configuration, out],
        captureBytes: maxBytes,
        // To say how large it is.
        countBytes: maxCountedBytes,
      })
    },

    async apply(onSpawn: (processGroup: number) => void): Promise<StepEnd> {
      const args = ['apply', '-input=false', '-no-color', '-json', '-auto-approve']
      return run([...args, '-lock-timeout=60s', bench.inside(planFile)], {
        readOnly: [data],
        onSpawn,
      })
    },

    async readPlanFile(): Promise<Buffer | undefined> {
      return bench.read(planFile, maxPartBytes.plan_file)
    },

    async readLockFile(): Promise<Buffer | undefined> {
      return bench.read(lockFile, maxPartBytes.lock_file)
    },

    /** What OpenTofu leaves when it could not save the state: the only trace of what was made. */
    async readErroredState(): Promise<Buffer | undefined> {
      return bench.read(`${root}/errored.tfstate`, 128 * 1024 * 1024)
    },
  }
}
