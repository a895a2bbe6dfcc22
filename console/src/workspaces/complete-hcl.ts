import type { Completed } from '../editor/code-types.ts'
import type { FileTexts } from './merge-files.ts'

/** What an expression of OpenTofu can refer to. Each with where it comes from. */
export type Names = {
  variables: ReadonlyMap<string, string>
  locals: ReadonlyMap<string, string>
  modules: ReadonlyMap<string, string>
  /** `type.name`, of data sources with `data.` before it. */
  addresses: ReadonlyMap<string, string>
}
/** `resources`: addresses in the state. `variables`: keys that are set in the workspace. */
export type Known = { resources: readonly string[]; variables: readonly string[] }

/** The names that the files of one folder declare, and those that the workspace knows beside them. */
export function namesIn(files: FileTexts, folder: string, known: Known): Names {
  const [variables, locals, modules, addresses] = [0, 1, 2, 3].map(() => new Map<string, string>())
  if (!variables || !locals || !modules || !addresses) throw new Error('four maps were made')
  for (const key of known.variables) variables.set(key, 'set in this workspace')
  // Those in a module cannot be referred to from outside of it.
  for (const address of known.resources) {
    const inModule = /^module\.([\w-]+)/.exec(address)?.[1]
    const plain = /^(data\.)?[\w-]+\.[\w-]+/.exec(address)?.[0]
    if (inModule !== undefined) modules.set(inModule, 'in the state')
    else if (plain !== undefined) addresses.set(plain, 'in the state')
  }
  for (const [name, text] of Object.entries(files)) {
    const [, path = '', file = name] = /^(.*)\/([^/]*)$/.exec(name) ?? []
    if (path !== folder || !/\.(tf|tofu)$/.test(file)) continue
    for (const [, kind, first = '', second = ''] of text.matchAll(block)) {
      if (kind === 'variable') variables.set(first, file)
      else if (kind === 'module') modules.set(first, file)
      else if (second !== '')
        addresses.set(`${kind === 'data' ? 'data.' : ''}${first}.${second}`, file)
    }
    for (const [, body = ''] of text.matchAll(localsBlock))
      for (const [, local = ''] of body.matchAll(argument)) locals.set(local, file)
  }
  return { variables, locals, modules, addresses }
}

const block = /^[ \t]*(variable|module|resource|data)[ \t]+"([\w-]+)"(?:[ \t]+"([\w-]+)")?/gm
/** As `tofu fmt` writes it: closed by a brace at the start of a line. */
const localsBlock = /^locals[ \t]*\{([^]*?)^\}/gm
const argument = /^ {2}([\w-]+)[ \t]*=/gm

/** The words that can stand at the end of `before`. Undefined in a comment and in a quoted text. */
export function completeHcl(before: string, names: Names): Completed | undefined {
  if (!isExpression(before)) return undefined
  const [chain = ''] = /[\w.-]*$/.exec(before) ?? []
  const parts = chain.split('.')
  const word = parts.pop() ?? ''
  const options = optionsAfter(parts, names)
  if (options.length === 0) return undefined
  return { from: before.length - word.length, isAfterDot: parts.length > 0, options }
}

type Options = Completed['options']

function optionsAfter(parts: readonly string[], names: Names): Options {
  const property = ([label, detail]: [string, string]) =>
    ({ label, detail, type: 'property' }) as const
  const [first] = parts
  if (first === undefined) return beginnings(names)
  if (parts.length === 1 && first === 'var') return [...names.variables].map(property)
  if (parts.length === 1 && first === 'local') return [...names.locals].map(property)
  if (parts.length === 1 && first === 'module') return [...names.modules].map(property)
  const prefix = `${parts.join('.')}.`
  const next = new Map<string, string>()
  for (const [address, detail] of names.addresses)
    if (address.startsWith(prefix)) {
      const [label = '', ...rest] = address.slice(prefix.length).split('.')
      next.set(label, rest.length > 0 ? '' : detail)
    }
  return [...next].map(property)
}

function beginnings({ addresses }: Names): Options {
  const types = new Set([...addresses.keys()].map((address) => address.split('.', 1)[0] ?? ''))
  types.delete('data')
  return [
    ...['var', 'local', 'module', 'data', 'each', 'count', 'path', 'terraform'].map(
      (label) => ({ label, type: 'variable' }) as const,
    ),
    ...[...types].map((label) => ({ label, type: 'class' }) as const),
  ]
}

/** Whether the end of a line is code: not after a comment sign, and in a quoted text only inside of `${ }`. */
function isExpression(before: string): boolean {
  const open: string[] = []
  for (const [sign] of before.matchAll(/\\.|\$\$\{|%%\{|[$%]\{|["{}#]|\/\//g)) {
    const inText = open.at(-1) === '"'
    if (sign === '"') {
      if (inText) open.pop()
      else open.push('"')
    } else if (sign === '${' || sign === '%{') open.push('{')
    else if (inText) continue
    else if (sign === '{') open.push('{')
    else if (sign === '}') open.pop()
    else if (sign === '#' || sign === '//') return false
  }
  return open.at(-1) !== '"'
}
