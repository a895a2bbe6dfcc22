import type { FileTexts } from './merge-files.ts'

/** Where a variable is declared. `type` is the text of its type on one line; undefined without one. */
export type Declared = { file: string; type?: string }

/** How the files of the workspace's folder declare a variable. Undefined where none does. */
export function declaredType(files: FileTexts, folder: string, name: string): Declared | undefined {
  for (const [path, text] of Object.entries(files)) {
    const [, inFolder = '', file = path] = /^(.*)\/([^/]*)$/.exec(path) ?? []
    if (inFolder !== folder || !/\.(tf|tofu)$/.test(file)) continue
    for (const [, declared = '', body = ''] of text.matchAll(variableBlock)) {
      if (declared !== name) continue
      const [, type] = typeArgument.exec(body) ?? []
      return { file, ...(type !== undefined && { type: wholeType(body, type) }) }
    }
  }
  return undefined
}

/** On one line, or as `tofu fmt` writes it: closed by a brace at the start of a line. */
const variableBlock = /^variable[ \t]+"([\w-]+)"[ \t]*\{(.*\}[ \t]*$|[^]*?^\})/gm
const typeArgument = /(?:^|\n|\{|^[ \t])[ \t]*type[ \t]*=[ \t]*([^\n]*)/

/** A type over several lines, as of an object, is shown by its first word. */
function wholeType(body: string, line: string): string {
  const type = line.replace(/[ \t]*(#|\/\/).*$/, '').trim()
  if (isClosed(type)) return type
  const end = isOneLine(body) ? type.lastIndexOf('}') : -1
  const cut = end >= 0 ? type.slice(0, end).trim() : type
  return isClosed(cut) ? cut : `${cut.slice(0, cut.indexOf('('))}(…)`
}

const isOneLine = (body: string): boolean => !body.includes('\n')
const brackets = [
  ['(', ')'],
  ['{', '}'],
  ['[', ']'],
] as const
const isClosed = (type: string): boolean =>
  brackets.every(([open, close]) => count(type, open) === count(type, close))
const count = (text: string, sign: string): number => text.split(sign).length - 1

/** How the value of a variable is written, for the person who writes it. */
export function howToWrite(declared: Declared | undefined): string {
  if (!declared)
    return 'One or more lines. OpenTofu reads it by the type that the files declare: a list is written as ["a", "b"], a text without quotes.'
  const { file, type } = declared
  if (type === undefined)
    return `${file} declares no type for it, so it is a text, without quotes. For a list, declare its type there.`
  if (type === 'string') return `${file} declares a string: written as it is, without quotes.`
  if (type === 'number' || type === 'bool') return `${file} declares a ${type}.`
  return `${file} declares ${type}: written in HCL, as ${/^(map|object)/.test(type) ? '{ name = "a" }' : '["a", "b"]'}.`
}
