import { AppError } from '../../domain/errors.ts'
import type { Step, StepEnd, Workbench } from '../sandbox/workbench.ts'

export type ModuleArchive = {
  archive: Buffer
  /** Which commit a module is at, for those that came by git. */
  commits: Array<{ module: string; commit: string }>
  /** SHA-256 of each file, by its path: `data/modules/vpc/main.tf`. Links are followed, as OpenTofu does. */
  digests: Map<string, string>
}

export type KeptModules = {
  /** What `init` noted of the modules that it found or fetched (`modules.json`). */
  installed: string | undefined
  /** Undefined: nothing was fetched. */
  kept: ModuleArchive | undefined
}

type Options = {
  bench: Workbench
  /** OpenTofu's data folder. */
  data: string
  /** The same as OpenTofu is told it. */
  dataFolder: string
  run: (step: Partial<Step>) => Promise<StepEnd>
}

const maxArchiveBytes = 128 * 1024 * 1024
const maxManifestBytes = 4 * 1024 * 1024
const maxCommits = 200
const maxDigestsBytes = 32 * 1024 * 1024

/**
 * The modules of a run as one archive. `tar` in the sandbox makes and unpacks it, so that links and names
 * chosen by a module's author cannot affect the worker.
 */
export function moduleArchive({ bench, data, dataFolder, run }: Options) {
  const manifest = `${data}/modules/modules.json`
  const tar = async (script: string, step: Partial<Step>): Promise<StepEnd> => {
    const end = await run({
      program: 'sh',
      args: ['-c', script],
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
      cwd: data,
      network: 'none',
      ...step,
    })
    if (end.how === 'too_much_output')
      throw new AppError('too_large', 'The modules take more than 128 MiB, compressed.')
    if (end.how === 'canceled' || end.exitCode === 0) return end
    const why = end.how === 'exited' ? 'is the work folder full?' : end.how
    throw new AppError('too_large', `The modules could not be kept: ${why}`)
  }
  const unpack = async (archive: Buffer): Promise<void> => {
    await tar(unpackScript, { stdin: archive })
  }

  return {
    unpack,

    async pack(): Promise<KeptModules> {
      const installed = (await bench.read(manifest, maxManifestBytes))?.toString()
      if (!installed?.includes(`"Dir":"${dataFolder}/modules/`))
        return { installed, kept: undefined }
      const commits: ModuleArchive['commits'] = []
      const { stdout: archive } = await tar(packScript, {
        captureBytes: maxArchiveBytes,
        onLine: (_stream, line) => {
          const [, commit, module] = /^commit ([0-9a-f]{40,64}) (.+)$/.exec(line) ?? []
          if (commit && module && commits.length < maxCommits) commits.push({ module, commit })
        },
      })
      const { stdout } = await tar(`${unpackScript}${digestScript}`, {
        stdin: archive,
        captureBytes: maxDigestsBytes,
      })
      const digests = readDigests(stdout.toString(), data)
      return { installed, kept: { archive, commits, digests } }
    },
  }
}

/** Histories are left out: they are large, and nothing of a module's is read from them. */
const packScript = `set -e
cd modules
find . -name .git -prune -exec sh -c '
  for git do
    at="\${git%/.git}"
    commit="$(git -c core.fsmonitor=false -C "$at" rev-parse HEAD 2>/dev/null)" &&
      echo "commit $commit \${at#./}" >&2
    rm -rf "$git"
  done' sh {} +
cd ..
tar -czf - modules
`

/**
 * Lines end with NUL (`-z`), because `sha256sum` writes a name with a backslash or a newline otherwise than it is.
 * `find` fails at a link in a circle, which is no file of a module.
 */
const digestScript = `find -L modules -type f \\( -name '*.tf' -o -name '*.tofu' -o -name '*.json' \\) \
  -exec sha256sum -z {} + || true
`

function readDigests(listed: string, data: string): Map<string, string> {
  const digests = new Map<string, string>()
  for (const line of listed.split('\0')) {
    const [, digest, path] = /^([0-9a-f]{64}) [ *](.+)$/s.exec(line) ?? []
    if (digest !== undefined && path !== undefined) digests.set(`${data}/${path}`, digest)
  }
  return digests
}

const unpackScript = 'set -e\nrm -rf modules\ntar -xzf -\n'
