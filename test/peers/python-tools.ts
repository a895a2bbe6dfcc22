import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { waitForLock } from '../../engines/file-lock.ts'
import { engineCacheDir } from '../../engines/resolve-binary.ts'
import { runPeer } from './run-peer.ts'

/** Whether Python can make an environment here: where it cannot, a peer's file is skipped, and says what to install. */
export function hasPython(): boolean {
  try {
    // Debian ships the module without the part that installs pip.
    execFileSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' })
    return true
  } catch {
    console.log('skipped: install python3 with its venv module (Debian: python3-venv)')
    return false
  }
}

/**
 * The `bin` folder of a virtual environment with these packages (`schemathesis==4.32.5`),
 * made once and kept beside the engines. Two runs at once make it one after the other.
 */
export async function pythonTools(name: string, packages: string[]): Promise<string> {
  const version = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12)
  const home = join(dirname(engineCacheDir(process.env['CC_CACHE_DIR'])), 'peers', name)
  const bin = join(home, version, 'bin')
  // Last of all: an installation that was cut off is no installation.
  const whole = join(home, version, '.whole')
  mkdirSync(home, { recursive: true })
  const lock = await waitForLock(join(home, 'install.lock'), () =>
    console.log(`${name}: another run installs it, waiting`),
  )
  try {
    if (existsSync(whole)) return bin
    console.log(`${name}: installing ${packages.join(' ')}`)
    // An environment knows its own path, so it is made where it stays.
    rmSync(join(home, version), { recursive: true, force: true })
    const steps: Array<[string, string[]]> = [
      ['python3', ['-m', 'venv', join(home, version)]],
      [join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]],
    ]
    for (const [program, args] of steps) {
      const { code, output } = await runPeer(program, args)
      if (code !== 0) throw new Error(`${name} is not installed: ${output}`)
    }
    writeFileSync(whole, '')
    return bin
  } finally {
    lock.release()
  }
}
