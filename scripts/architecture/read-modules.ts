import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, type ESTree, type ParseResult } from 'vite'

/** One import or re-export of another file of the repository. */
export type Import = {
  path: string
  line: number
  isType: boolean
  /** The imported names; `*` is the whole module. */
  names: readonly string[]
}
export type LongFunction = { line: number; lines: number }
export type Module = {
  path: string
  imports: readonly Import[]
  /** Names of exported values, without types. */
  values: readonly string[]
  functions: readonly LongFunction[]
}

const folders =
  'activities,agent,api,app,bench,config,console,domain,engines,gateways,runner,scripts,store,test,worker,workflows'

/** All TypeScript files of the repository at `root`, in the order of their paths. */
export function readModules(root: string): Module[] {
  const paths = globSync(['*.ts', `{${folders}}/**/*.{ts,tsx}`], { cwd: root })
  return paths
    .filter((path) => !/(^|\/)(node_modules|dist|\.output)\//.test(path))
    .toSorted()
    .map((path) => parseModule(path, readFileSync(join(root, path), 'utf8')))
}

/** Parses one file. Throws on a syntax error, since a skipped file would not be checked. */
export function parseModule(path: string, text: string): Module {
  const { module, program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const lineAt = linesOf(text)
  return {
    path,
    imports: readImports(path, { module, text, lineAt }),
    values: module.staticExports
      .flatMap(({ entries }) => entries)
      .filter(({ isType, importName }) => !isType && importName.kind !== 'AllButDefault')
      .map(({ exportName }) => exportName.name ?? 'default'),
    functions: readFunctions(program, lineAt),
  }
}

type Source = {
  module: ParseResult['module']
  text: string
  lineAt: (offset: number) => number
}

function readImports(path: string, { module, text, lineAt }: Source): Import[] {
  const found: { to: string; at: number; isType: boolean; names: string[] }[] = []
  for (const { moduleRequest, start, entries } of module.staticImports)
    found.push({
      to: moduleRequest.value,
      at: start,
      isType: entries.length > 0 && entries.every(({ isType }) => isType),
      names: entries.map(({ importName }) => nameOf(importName)),
    })
  for (const { moduleRequest, importName, start, isType } of module.staticExports.flatMap(
    ({ entries }) => entries,
  ))
    if (moduleRequest)
      found.push({ to: moduleRequest.value, at: start, isType, names: [nameOf(importName)] })
  for (const { moduleRequest, start } of module.dynamicImports) {
    // The text between the quotes. The filter below drops computed specifiers, which begin with no dot.
    const to = text.slice(moduleRequest.start + 1, moduleRequest.end - 1)
    found.push({ to, at: start, isType: false, names: ['*'] })
  }
  return found
    .filter(({ to }) => to.startsWith('.') && /\.tsx?$/.test(to))
    .map(({ to, at, isType, names }) => ({
      path: join(dirname(path), to),
      line: lineAt(at),
      isType,
      names,
    }))
}

function nameOf({ kind, name }: { kind: string; name?: string | null }): string {
  if (kind === 'Default') return 'default'
  return name ?? '*'
}

/** All functions with their first line and number of lines. */
function readFunctions(program: ESTree.Program, lineAt: Source['lineAt']): LongFunction[] {
  const found: LongFunction[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child)
    if (!isNode(node)) return
    if (functionTypes.has(node.type) && node['body']) {
      const line = lineAt(node.start)
      found.push({ line, lines: lineAt(node.end) - line + 1 })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(program)
  return found
}

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
])

type Node = Record<string, unknown> & { type: string; start: number; end: number }
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

function linesOf(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
