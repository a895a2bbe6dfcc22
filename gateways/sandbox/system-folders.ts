import { lstatSync, readlinkSync } from 'node:fs'

/** bwrap's options that mount the host's programs and libraries read-only: /usr and the links into it. */
export function systemFolders(): string[] {
  const options = ['--ro-bind', '/usr', '/usr']
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const entry = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (entry?.isSymbolicLink()) options.push('--symlink', readlinkSync(`/${name}`), `/${name}`)
    else if (entry?.isDirectory()) options.push('--ro-bind', `/${name}`, `/${name}`)
  }
  return options
}
