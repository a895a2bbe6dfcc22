import { join } from 'node:path'
import { installedPeer } from './installed-peer.ts'

/** The `node_modules` folder with these packages (`azurite@3.37.0`). Their install scripts are not run. */
export async function npmTools(name: string, packages: string[]): Promise<string> {
  const folder = await installedPeer(name, packages, (made) => [
    {
      program: 'npm',
      args: [
        'install',
        `--prefix=${made}`,
        ...'--no-audit --no-fund --no-save --ignore-scripts --omit=dev --loglevel=error'.split(' '),
        ...packages,
      ],
    },
  ])
  return join(folder, 'node_modules')
}
