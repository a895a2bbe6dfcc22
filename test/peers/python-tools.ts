import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { installedPeer } from './installed-peer.ts'

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

/** The `bin` folder of a virtual environment with these packages (`schemathesis==4.32.5`, or options of pip). */
export async function pythonTools(name: string, packages: string[]): Promise<string> {
  const folder = await installedPeer(name, packages, (made) => [
    { program: 'python3', args: ['-m', 'venv', made] },
    {
      program: join(made, 'bin', 'pip'),
      // What is imported is compiled then: of all modules of these packages a tenth.
      args: ['install', '--quiet', '--disable-pip-version-check', '--no-compile', ...packages],
    },
  ])
  return join(folder, 'bin')
}
