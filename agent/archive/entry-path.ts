import { refuseRelease } from '../faults.ts'

/** In latin1. Linux takes at most 4,096 bytes with the folder before it. */
const maxPathLength = 3_000
const maxNameLength = 255

/**
 * The path of an entry below the release's folder, in latin1: `a/b`, or empty for the folder itself. Refuses
 * what is not plainly below it. GNU tar writes `./a/b`, and a slash after a folder's name.
 */
export function entryPath(name: string): string {
  const plain = name.replace(/^(?:\.\/)+/, '').replace(/\/$/, '')
  if (plain === '' || plain === '.') {
    if (name !== '' && !name.startsWith('/')) return ''
    throw refusedPath(name, 'has no name')
  }
  if (plain.startsWith('/')) throw refusedPath(name, 'is an absolute path')
  if (plain.length > maxPathLength) throw refusedPath(name, 'is too long')
  for (const part of plain.split('/')) {
    if (part === '..') throw refusedPath(name, 'leaves the folder')
    if (part === '' || part === '.' || part.includes('\0'))
      throw refusedPath(name, 'is no plain path')
    if (part.length > maxNameLength) throw refusedPath(name, 'is too long')
  }
  return plain
}

export const refusedPath = (name: string, why: string): Error =>
  refuseRelease('archive_refused', `${JSON.stringify(name.slice(0, 200))} ${why}`)
