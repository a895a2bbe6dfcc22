import { accessSync, constants } from 'node:fs'

/** A program of the system, found in root's folders alone: a PATH could lead to somebody's own `mount`. */
export function findCommand(name: string): string | undefined {
  return folders
    .map((folder) => `${folder}/${name}`)
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

const folders = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin']
