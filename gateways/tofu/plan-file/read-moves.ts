import { own } from '../../../domain/infrastructure/record.ts'
import { isConfigurationFile } from '../../../domain/workspaces/terraform-blocks.ts'
import { unquote } from './parse-address.ts'
import type { ZipEntry } from './read-zip.ts'

/** A part of an address: `module.m` or `terraform_data.a`, and its key. Key 0 is the same as none: see `matchMoved`. */
export type Step = { name: string; key: string }

/** A `moved` block of a configuration. */
export type Move = {
  /** The steps to the module that has the block, which may have any keys. */
  module: readonly string[]
  from: readonly Step[]
  to: readonly Step[]
  /** Whether all instances move and keep their keys, as without a key on either side. */
  isWhole: boolean
}

const maxFileBytes = 64 * 1024 * 1024

/** The `moved` blocks within a plan file's configuration, which `compareConfiguration` compares with the run's. */
export function readMoves(entries: readonly ZipEntry[]): Move[] {
  return entries.flatMap(({ name, read }) => {
    const [, key, file = ''] = /^tfconfig\/m-([^/]*)\/([^/]+)$/.exec(name) ?? []
    if (key === undefined || !isConfigurationFile(file)) return []
    const module = key === '' ? [] : key.split('.').map((call) => `module.${call}`)
    return movesIn(file, read(maxFileBytes).toString()).flatMap(({ from, to }) => {
      const ends = { from: stepsOf(spaceless(from)), to: stepsOf(spaceless(to)) }
      if (!ends.from || !ends.to) return []
      const isWhole = !from.endsWith(']') && !to.endsWith(']')
      return [{ module, from: ends.from, to: ends.to, isWhole }]
    })
  })
}

const part = /([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\[(?:(\d+)|"((?:[^"\\]|\\.)*)")\])?(?:\.|$)/uy

/** The steps of an address of a module or a managed resource; undefined for anything else. */
export function stepsOf(address: string): Step[] | undefined {
  const steps: Step[] = []
  let before: string | undefined
  part.lastIndex = 0
  while (part.lastIndex < address.length) {
    const [, word, index, quoted] = part.exec(address) ?? []
    if (word === undefined) return undefined
    const key = index === undefined ? quoted && unquote(quoted) : Number(index)
    if (before === undefined) before = word
    else {
      steps.push({ name: `${before}.${word}`, key: keyOfStep(key) })
      before = undefined
    }
  }
  return before === undefined ? steps : undefined
}

export const keyOfStep = (index: string | number | undefined): string =>
  index === undefined || index === 0 ? '' : JSON.stringify(index)

const spaceless = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted?: string) => quoted ?? '')

type Ends = { from: string; to: string }

function movesIn(file: string, text: string): Ends[] {
  if (!text.includes('moved')) return []
  const blocks = file.endsWith('.json') ? blocksInJson(text) : bodiesOf(text).map(attributesOf)
  return blocks.flatMap((block) => {
    const [from, to] = [own(block, 'from'), own(block, 'to')]
    return typeof from === 'string' && typeof to === 'string' ? [{ from, to }] : []
  })
}

function blocksInJson(text: string): unknown[] {
  try {
    const moved = own(JSON.parse(text), 'moved')
    return Array.isArray(moved) ? moved : [moved]
  } catch {
    return []
  }
}

const attributesOf = (body: string): Record<string, string> =>
  Object.fromEntries(
    [...body.matchAll(/^[ \t]*(from|to)[ \t]*=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.trim(),
    ]),
  )

const comment = /#.*|\/\/.*|\/\*[\s\S]*?\*\//y
const heredoc = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n[\s\S]*?\n?^[ \t]*\1[ \t\r]*$/muy
const head = /moved\s*\{/y
/** By their first character. */
const patterns: Readonly<Record<string, RegExp>> = {
  '#': comment,
  '/': comment,
  '<': heredoc,
  m: head,
}

/**
 * What stands in the top-level `moved` blocks of a file, without comments. Of what only looks like such a block, as in
 * a comment or a heredoc, nothing is found.
 */
function bodiesOf(text: string): string[] {
  const bodies: string[] = []
  const stack: Array<'"' | '{'> = []
  let body: string | undefined
  const skipped = (pattern: RegExp, from: number): number => {
    pattern.lastIndex = from
    return pattern.test(text) ? pattern.lastIndex - from : 0
  }
  for (let at = 0; at < text.length;) {
    const sign = text[at] ?? ''
    const isQuoted = stack.at(-1) === '"'
    const pattern = isQuoted ? undefined : patterns[sign]
    const unread = pattern ? skipped(pattern, at) : 0
    if (unread > 0 && (pattern !== head || (stack.length === 0 && isFirst(text, at)))) {
      if (pattern === head) {
        body = ''
        stack.push('{')
      }
      at += unread
      continue
    }
    const length = isQuoted ? stepInQuotes(text, at, stack) : stepInCode(sign, stack)
    if (body !== undefined && stack.length === 0) {
      bodies.push(body)
      body = undefined
    }
    if (body !== undefined) body += text.slice(at, at + length)
    at += length
  }
  return bodies
}

const isFirst = (text: string, at: number): boolean =>
  text.slice(text.lastIndexOf('\n', at) + 1, at).trim() === ''

function stepInCode(sign: string, stack: Array<'"' | '{'>): number {
  if (sign === '"' || sign === '{') stack.push(sign)
  if (sign === '}') stack.pop()
  return 1
}

function stepInQuotes(text: string, at: number, stack: Array<'"' | '{'>): number {
  const sign = text[at]
  if (sign === '\\') return 2
  if (sign === '"') stack.pop()
  if (sign !== '$' && sign !== '%') return 1
  // `$${` is text, and `${` begins code.
  if (text[at + 1] === sign && text[at + 2] === '{') return 3
  if (text[at + 1] !== '{') return 1
  stack.push('{')
  return 2
}
