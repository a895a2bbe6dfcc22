import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { waitForLock } from '../../engines/file-lock.ts'
import { engineCacheDir } from '../../engines/resolve-binary.ts'
import { runPeer } from './run-peer.ts'

/** A program of the installation and its arguments. */
export type InstallStep = { program: string; args: string[]; env?: NodeJS.ProcessEnv }

/**
 * A folder with these packages, made once by the steps and kept beside the engines. Two runs at once make it
 * one after the other.
 */
export async function installedPeer(
  name: string,
  packages: readonly string[],
  steps: (folder: string) => InstallStep[],
): Promise<string> {
  const version = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12)
  const home = join(dirname(engineCacheDir(process.env['CC_CACHE_DIR'])), 'peers', name)
  const folder = join(home, version)
  // Last of all: an installation that was cut off is no installation.
  const whole = join(folder, '.whole')
  mkdirSync(home, { recursive: true })
  const lock = await waitForLock(join(home, 'install.lock'), () =>
    console.log(`${name}: another run installs it, waiting`),
  )
  try {
    if (existsSync(whole)) return folder
    console.log(`${name}: installing ${packages.join(' ')}`)
    // An environment of Python knows its own path, so it is made where it stays.
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const { program, args, env } of steps(folder)) {
      const { code, output } = await runPeer(program, args, { cwd: folder, ...(env && { env }) })
      if (code !== 0) throw new Error(`${name} is not installed: ${output}`)
    }
    writeFileSync(whole, '')
    return folder
  } finally {
    lock.release()
  }
}
