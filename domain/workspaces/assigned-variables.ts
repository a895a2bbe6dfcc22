import { isRecord } from '../infrastructure/record.ts'
import { endOfComment, scanNative, tooDeep } from './terraform-blocks.ts'

type Files = Readonly<Record<string, string>>

/**
 * Names of the variables to which the files assign a value that OpenTofu reads by itself in its working folder, as its
 * `Meta.collectVariableValues` does. Of a file that OpenTofu refuses it may have other names.
 */
export function assignedVariables(files: Files, folder: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [path, text] of Object.entries(files))
    if (isReadByItself(path, folder))
      for (const name of path.endsWith('.json') ? inJson(text) : inNative(path, text))
        names.add(name)
  return names
}

function isReadByItself(path: string, folder: string): boolean {
  const cut = path.lastIndexOf('/')
  return (
    path.slice(0, Math.max(0, cut)) === folder &&
    /^terraform\.tfvars(\.json)?$|\.auto\.tfvars(\.json)?$/.test(path.slice(cut + 1))
  )
}

/** OpenTofu's reader decodes names, and accepts no more than JSON. */
function inJson(text: string): string[] {
  try {
    const values: unknown = JSON.parse(text)
    return isRecord(values) ? Object.keys(values) : []
  } catch {
    return []
  }
}

/** In a file that OpenTofu accepts, a word outside of all braces and quotes that `=` follows is an argument's name. */
function inNative(path: string, text: string): string[] {
  const names: string[] = []
  const isWhole = scanNative(text, (at, end, isTop) => {
    if (isTop && isAssigned(text, end)) names.push(text.slice(at, end))
  })
  if (!isWhole) throw tooDeep(path)
  return names
}

function isAssigned(text: string, end: number): boolean {
  let at = end
  for (;;) {
    if (text[at] === ' ' || text[at] === '\t') at += 1
    else if (text.startsWith('/*', at)) at = endOfComment(text, at)
    else return text[at] === '=' && text[at + 1] !== '='
  }
}
