import { posix } from 'node:path'
import type { ConfigurationFiles } from './configuration-files.ts'
import { isConfigurationFile, scanNative } from './terraform-blocks.ts'

/**
 * Whether all modules that these files call are part of the files. Each other module can bring other code later:
 * branches, tags and registry versions can be moved, and a module at a fixed commit can call one that is not fixed.
 * What cannot be read for certain counts as such a module.
 */
export const hasLocalModules = (files: ConfigurationFiles): boolean =>
  Object.entries(files).every(
    ([path, text]) =>
      !isConfigurationFile(path) ||
      (path.endsWith('.json') ? !mentionsModule(text) : callsLocalOnly(path, text)),
  )

/** JSON may escape each letter of a name. A module call in JSON always counts as one that can change. */
function mentionsModule(text: string): boolean {
  const plain = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return /"module"\s*:/.test(plain)
}

/** A literal that begins with `./` or `../`, up to the end of the argument. */
const localSource = /[ \t]*=[ \t]*"(\.{1,2}\/[^"\\$%\r\n]*)"[ \t]*(?=[\r\n}#]|\/\/|$)/y

function callsLocalOnly(path: string, text: string): boolean {
  if (!text.includes('module')) return true
  /** The sources of each module block, in order. */
  const calls: boolean[] = []
  let isLocal = true
  const isWhole = scanNative(
    text,
    (at, end, isTop) => {
      const word = text.slice(at, end)
      if (isTop && word === 'module') calls.push(false)
      // A reference, such as `var.source`, is no argument.
      if (isTop || word !== 'source' || text[at - 1] === '.') return
      if (isLocalSource(path, text, end)) calls[calls.length - 1] = true
      else isLocal = false
    },
    'module',
  )
  return isWhole && isLocal && calls.every(Boolean)
}

/** Whether the source leads to a folder of the files, and not out of them. */
function isLocalSource(path: string, text: string, end: number): boolean {
  localSource.lastIndex = end
  const source = localSource.exec(text)?.[1]
  if (source === undefined) return false
  const folder = posix.join(posix.dirname(path), source)
  return folder !== '..' && !folder.startsWith('../')
}
