import type { AllowedRefs } from './relay-allowance.ts'

/**
 * Git's pkt-lines of a fetch (gitprotocol-pack(5), gitprotocol-v2(5)): a length and a text, or a
 * special length.
 */
type Line = { text: Buffer } | { special: '0000' | '0001' | '0002' }

/** Each line becomes an object, so a body of `0000` alone would take 30 times its own size. */
const maxLines = 50_000

/** Undefined if the body is malformed, or has too many lines. */
function linesOf(body: Buffer): Line[] | undefined {
  const lines: Line[] = []
  for (let at = 0; at < body.length;) {
    if (lines.length === maxLines) return undefined
    const length = body.toString('latin1', at, at + 4)
    if (length === '0000' || length === '0001' || length === '0002') {
      lines.push({ special: length })
      at += 4
      continue
    }
    if (!/^[0-9a-f]{4}$/.test(length)) return undefined
    const end = at + Number.parseInt(length, 16)
    if (end < at + 4 || end > body.length) return undefined
    lines.push({ text: body.subarray(at + 4, end) })
    at = end
  }
  return lines
}

const lineOf = (text: Buffer): Buffer =>
  Buffer.concat([Buffer.from((text.length + 4).toString(16).padStart(4, '0')), text])

const textOf = (line: Line): string =>
  'text' in line ? line.text.toString('latin1').replace(/\n$/, '') : ''

export type Wants = {
  /** `ls-refs` and what else names nothing, or `fetch`. */
  command: 'ls-refs' | 'fetch'
  objects: string[]
  refs: string[]
}

/** What a request to `git-upload-pack` asks for; undefined if that is unclear. */
export function wantsOf(body: Buffer): Wants | undefined {
  const lines = linesOf(body)
  if (!lines) return undefined
  const texts = lines.map(textOf)
  const command = texts.find((text) => text.startsWith('command='))?.slice('command='.length)
  if (command !== undefined && command !== 'ls-refs' && command !== 'fetch') return undefined
  const objects = texts.flatMap((text) => /^want ([0-9a-f]{40,64})\b/.exec(text)?.[1] ?? [])
  const refs = texts.flatMap((text) => /^want-ref (.+)$/.exec(text)?.[1] ?? [])
  const wanted = texts.filter((text) => text.startsWith('want')).length
  if (wanted !== objects.length + refs.length) return undefined
  return { command: command === 'ls-refs' ? 'ls-refs' : 'fetch', objects, refs }
}

export type Advertisement = {
  body: Buffer
  /** Ids that may be requested from now on. */
  objects: string[]
}

/**
 * Removes the refs that no module source names from a host's answer. Undefined if the answer is no such
 * list. A list of the capabilities of version 2 is passed on unchanged.
 */
export function onlyAllowed(answer: Buffer, allowed: AllowedRefs): Advertisement | undefined {
  const lines = linesOf(answer)
  if (!lines) return undefined
  if (lines.some((line) => textOf(line) === 'version 2')) return { body: answer, objects: [] }
  const parsed = lines.map(parseRef)
  const head = parsed.find((one) => one?.name === 'HEAD')
  const symrefs = new Set(parsed.flatMap((one) => one?.headLeadsTo ?? []))
  // A host of protocol version 0 identifies HEAD's branch by the commit's id alone.
  const isHeads = (ref: Ref) =>
    symrefs.size > 0
      ? symrefs.has(ref.name)
      : ref.id === head?.id && ref.name.startsWith('refs/heads/')
  const keeps = (ref: Ref) => {
    const name = ref.name.replace(/\^\{\}$/, '')
    return name === 'HEAD' || isHeads(ref) || allowed.has(name)
  }
  // In version 0 the capabilities follow the first ref, whichever that is.
  let capabilities = parsed.find((one) => one?.capabilities)?.capabilities
  const objects: string[] = []
  const kept: Buffer[] = []
  for (const [index, line] of lines.entries()) {
    const ref = parsed[index]
    if ('special' in line) kept.push(Buffer.from(line.special))
    else if (!ref) kept.push(lineOf(line.text))
    else if (keeps(ref)) {
      objects.push(ref.id, ...ref.peeled)
      kept.push(lineOf(Buffer.from(`${ref.text}${capabilities ?? ''}\n`, 'latin1')))
      capabilities = undefined
    }
  }
  if (capabilities !== undefined) return undefined
  return { body: Buffer.concat(kept), objects }
}

type Ref = {
  id: string
  name: string
  /** The line without its capabilities. */
  text: string
  peeled: string[]
  headLeadsTo: string[]
  /** With the NUL before them. */
  capabilities: string | undefined
}

function parseRef(line: Line): Ref | undefined {
  const [text = '', ...rest] = textOf(line).split('\0')
  // Without `$`: a line feed within the line would have it tried from each character on.
  const [, id, name, attributes = ''] = /^([0-9a-f]{40,64}) (\S+)(.*)/.exec(text) ?? []
  if (id === undefined || name === undefined) return undefined
  const capabilities = rest.length > 0 ? `\0${rest.join('\0')}` : undefined
  const leads = [
    ...(name === 'HEAD' ? [/ symref-target:(\S+)/.exec(attributes)?.[1]] : []),
    ...[...(capabilities ?? '').matchAll(/[\0 ]symref=HEAD:(\S+)/g)].map(([, to]) => to),
  ]
  return {
    id,
    name,
    text,
    peeled: [/ peeled:([0-9a-f]{40,64})/.exec(attributes)?.[1]].flatMap((one) => one ?? []),
    headLeadsTo: leads.flatMap((one) => one ?? []),
    capabilities,
  }
}
