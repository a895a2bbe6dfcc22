import { AppError } from '../../domain/errors.ts'
import type { Step, StepEnd, Workbench } from '../sandbox/workbench.ts'

export type ModuleArchive = {
  archive: Buffer
  /** Which commit a module is at, for those that came by git. */
  commits: Array<{ module: string; commit: string }>
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

    async pack(): Promise<ModuleArchive | undefined> {
      const text = await bench.read(manifest, maxManifestBytes)
      if (!text?.includes(`"Dir":"${dataFolder}/modules/`)) return undefined
      const commits: ModuleArchive['commits'] = []
      const { stdout: archive } = await tar(packScript, {
        captureBytes: maxArchiveBytes,
        onLine: (_stream, line) => {
          const [, commit, module] = /^commit ([0-9a-f]{40,64}) (.+)$/.exec(line) ?? []
          if (commit && module && commits.length < maxCommits) commits.push({ module, commit })
        },
      })
      await unpack(archive)
      return { archive, commits }
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

const unpackScript = 'set -e\nrm -rf modules\ntar -xzf -\n'
