import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'

/** `unread`: places whose code this cannot read, as `path: source text`. */
export type ErrorCodes = { codes: Map<string, string[]>; unread: string[] }

type Node = { type: string; start: number; end: number; [key: string]: unknown }

const folders = '{domain,app,api,store,gateways}/**/*.ts'

/** Every `code` that an error of these folders can have, with the files that name it. */
export function readErrorCodes(root: string): ErrorCodes {
  const found: ErrorCodes = { codes: new Map(), unread: [] }
  for (const path of globSync(folders, { cwd: root }).toSorted())
    if (!/\.test\.ts$|^store\/migrations\//.test(path))
      addCodes(found, path, readFileSync(join(root, path), 'utf8'))
  return found
}

/** The argument with the code, by the name of the function that makes an error (domain/errors.ts). */
const makers: Readonly<Record<string, number>> = { conflict: 0, unavailable: 0, invalid: 2 }

/**
 * Adds the codes of one file: the argument of a function of domain/errors.ts, a property `code`, and
 * the argument of a function of the same file that has a parameter `code`.
 */
export function addCodes(found: ErrorCodes, path: string, text: string): void {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const nodes = nodesOf(program)
  const places = { ...makers, ...ownMakers(nodes) }
  for (const node of nodes) {
    const value = codeIn(node, places)
    if (!value) continue
    // Passed on from an error that was read where it was made.
    if (value.type === 'MemberExpression' && (value['property'] as Node)['name'] === 'code')
      continue
    const codes = literals(value, nodes)
    for (const code of codes.filter(isCode))
      found.codes.set(code, [...(found.codes.get(code) ?? []), path])
    if (codes.length === 0) found.unread.push(`${path}: ${text.slice(value.start, value.end)}`)
  }
}

/** A code is in snake_case. Others are those of Node, PostgreSQL and third parties. */
const isCode = (text: string): boolean => /^[a-z]+(_[a-z]+)*$/.test(text)

/** The expression of a code, if the node has one. */
function codeIn(node: Node, places: Readonly<Record<string, number>>): Node | undefined {
  if (node.type === 'CallExpression') {
    const { callee, arguments: given } = node as Node & { callee: Node; arguments: Node[] }
    const place = callee.type === 'Identifier' ? places[String(callee['name'])] : undefined
    return place === undefined ? undefined : given[place]
  }
  if (node.type === 'NewExpression') return faultIn(node)
  if (node.type !== 'Property' || keyOf(node) !== 'code') return undefined
  const value = node['value'] as Node
  return value.type === 'Literal' || value.type === 'ConditionalExpression' ? value : undefined
}

/** The fault of an error without a code of its own, whose code it is. */
function faultIn(node: Node): Node | undefined {
  const { callee, arguments: given } = node as Node & { callee: Node; arguments: Node[] }
  const options = given[2]
  const named = (options?.['properties'] as Node[] | undefined)?.some(
    (one) => one.type === 'Property' && keyOf(one) === 'code',
  )
  return callee['name'] === 'AppError' && !named ? given[0] : undefined
}

const keyOf = ({ key }: Node): unknown => (key as Node)['name'] ?? (key as Node)['value']

/** The functions of the file that take a code and pass it on, with the place of that parameter. */
function ownMakers(nodes: readonly Node[]): Record<string, number> {
  const places: Record<string, number> = {}
  for (const node of nodes) {
    const [name, value] =
      node.type === 'VariableDeclarator'
        ? [node['id'] as Node, node['init'] as Node | null]
        : node.type === 'FunctionDeclaration'
          ? [node['id'] as Node, node]
          : []
    const params = value?.['params'] as Node[] | undefined
    const at = params?.findIndex((param) => param['name'] === 'code') ?? -1
    if (name && at >= 0 && /refus|fault|error/i.test(String(name['name'])))
      places[String(name['name'])] = at
  }
  return places
}

/** The texts that an expression can be: of a choice both, of a constant its value, of a function its results. */
function literals(value: Node, nodes: readonly Node[]): string[] {
  if (value.type === 'Literal' && value['value'] === null) return ['~']
  if (value.type === 'Literal') return typeof value['value'] === 'string' ? [value['value']] : []
  if (value.type === 'ConditionalExpression')
    return [value['consequent'], value['alternate']].flatMap((one) => literals(one as Node, nodes))
  if (value.type === 'Identifier') {
    const made = nodes.find(
      (node) =>
        node.type === 'VariableDeclarator' && (node['id'] as Node)['name'] === value['name'],
    )?.['init'] as Node | undefined
    // A parameter `code`: its values are at the calls of the function.
    return made ? literals(made, nodes) : value['name'] === 'code' ? ['~'] : []
  }
  if (value.type === 'CallExpression') {
    const name = (value['callee'] as Node)['name']
    const declared = nodes.find(
      (node) => node.type === 'FunctionDeclaration' && (node['id'] as Node)['name'] === name,
    )
    return nodes
      .filter(
        ({ type, start, end }) =>
          type === 'ReturnStatement' && declared && start > declared.start && end < declared.end,
      )
      .flatMap((node) => literals(node['argument'] as Node, nodes))
  }
  return []
}

function nodesOf(root: unknown): Node[] {
  const found: Node[] = []
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (Array.isArray(next)) waiting.push(...next.toReversed())
    else if (typeof next === 'object' && next !== null) {
      if ('type' in next && typeof next.type === 'string') found.push(next as Node)
      waiting.push(...Object.values(next).toReversed())
    }
  }
  return found
}
