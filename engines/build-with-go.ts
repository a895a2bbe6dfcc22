import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binary } from './binaries.ts'
import { findGo } from './find-go.ts'
import { runProgram } from './run-program.ts'
import { sayProgress } from './say-progress.ts'

type Options = {
  cacheDir: string
  say: (line: string) => void
  /** The number of this program and of all, for the progress line: `2 of 5`. */
  step: string
  signal?: AbortSignal | undefined
  env?: NodeJS.ProcessEnv
}

const buildTimeoutMs = 40 * 60_000

/** Builds the pinned version from the Go module proxy. Go checks the sources against its checksum database. */
export async function buildWithGo(binary: Binary, target: string, options: Options): Promise<void> {
  const go = await findGo(options)
  const output = mkdtempSync(join(dirname(target), 'bin-'))
  const progress = sayProgress(
    options.say,
    `${binary.name} (${options.step}): building ${binary.version} with Go, the first time only; usually ${inWords(binary.usualBuildSeconds)} on two cores, longer beside another build`,
  )
  const begunAt = Date.now()
  try {
    const module = binary.goModule
    const link = ['-s -w', binary.goLinkFlags ?? ''].join(' ').trim()
    const flags = [
      // Without it Go's folders of modules are read-only and could not be removed.
      '-modcacherw',
      // The linker leaves debug data out (-s -w), so that compiling it would be a sixth of the time for nothing.
      '-gcflags=all=-dwarf=false',
      '-ldflags',
      link,
      ...(binary.goTags ? ['-tags', binary.goTags] : []),
    ]
    await runProgram(go, {
      arguments: module
        ? ['build', '-mod=readonly', ...flags, '-o', `${output}/`, binary.goPackage]
        : ['install', ...flags, binary.goPackage],
      // Outside the checkout, so that no go.mod or go.work of the host applies.
      cwd: module ? join(import.meta.dirname, module) : output,
      env: {
        ...(options.env ?? process.env),
        // Go must not download another toolchain: its version would not be pinned.
        GOTOOLCHAIN: 'local',
        GOWORK: 'off',
        CGO_ENABLED: '0',
        GOBIN: output,
        ...goCaches(options),
      },
      timeoutMs: buildTimeoutMs,
      lowPriority: true,
      signal: options.signal,
    })
    const built = readdirSync(output)[0]
    if (!built) throw new Error('go built nothing')
    mkdirSync(dirname(target), { recursive: true })
    renameSync(join(output, built), target)
    options.say(`${binary.name}: built in ${Math.round((Date.now() - begunAt) / 1_000)} s`)
  } finally {
    progress.end()
    rmSync(output, { recursive: true, force: true })
  }
}

/**
 * Go's caches, of about 5 GiB after the engines are built. They are shared by the builds of one
 * installation and removed after it. An operator's own `GOCACHE` and `GOMODCACHE` are used and stay.
 */
function goCaches({ cacheDir, env = process.env }: Options): NodeJS.ProcessEnv {
  const folder = goCacheFolder(cacheDir)
  return {
    GOCACHE: env['GOCACHE'] || join(folder, 'build'),
    GOMODCACHE: env['GOMODCACHE'] || join(folder, 'modules'),
  }
}

const goCacheFolder = (cacheDir: string): string => join(cacheDir, 'go-caches')

/** Removes what the builds of one installation shared. */
export async function removeGoCaches(cacheDir: string): Promise<void> {
  await rm(goCacheFolder(cacheDir), { recursive: true, force: true })
}

const inWords = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
