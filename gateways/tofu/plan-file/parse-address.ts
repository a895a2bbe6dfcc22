import { PlanForged } from './plan-forged.ts'

export type ParsedAddress = {
  module: string
  mode: 'managed' | 'data' | 'ephemeral'
  type: string
  name: string
  index: string | number | undefined
}

const word = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const key = /\[(?:(\d+)|"((?:[^"\\]|\\.)*)")\]/y

/** The parts of a resource's address as OpenTofu writes it (internal/addrs). */
export function parseAddress(address: string): ParsedAddress {
  let at = 0
  let moduleEnd = 0
  while (address.startsWith('module.', at)) {
    at += 'module.'.length
    readWord()
    readKey()
    moduleEnd = at
    readDot()
  }
  let mode: ParsedAddress['mode'] = 'managed'
  for (const other of ['data', 'ephemeral'] as const)
    if (address.startsWith(`${other}.`, at)) {
      mode = other
      at += other.length + 1
      break
    }
  const type = readWord()
  readDot()
  const name = readWord()
  const index = readKey()
  if (at !== address.length) throw odd()
  return { module: address.slice(0, moduleEnd), mode, type, name, index }

  function readWord(): string {
    word.lastIndex = at
    const [found] = word.exec(address) ?? []
    if (found === undefined) throw odd()
    at += found.length
    return found
  }

  function readKey(): string | number | undefined {
    key.lastIndex = at
    const found = key.exec(address)
    if (!found) return undefined
    at = key.lastIndex
    return found[1] === undefined ? unquote(found[2] ?? '') : Number(found[1])
  }

  function readDot(): void {
    if (address[at] !== '.') throw odd()
    at += 1
  }
}

/** What addrs.toHCLQuotedString did. */
export function unquote(text: string): string {
  return text.replace(/\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|\$\$\{|%%\{/gs, (part) => {
    if (!part.startsWith('\\')) return part.slice(1)
    const [, kind = ''] = part
    if (part.length > 2) return String.fromCodePoint(Number.parseInt(part.slice(2), 16))
    return escapes[kind] ?? kind
  })
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The provider's own name in `module.a.provider["registry.opentofu.org/hashicorp/local"].alias`. */
export function providerOf(configuration: string): string {
  const [, name] = /^(?:module\.[^."[\]]+\.)*provider\["([^"\\]+)"\]/.exec(configuration) ?? []
  if (name === undefined) throw odd()
  return name
}

const odd = () => new PlanForged('it has an address that OpenTofu does not write')
