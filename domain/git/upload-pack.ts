import type { AllowedRefs } from './relay-allowance.ts'

/**
 * A pkt-line of a fetch (gitprotocol-pack(5), gitprotocol-v2(5)): a length and a text, or a special length, which has
 * no text.
 */
type Line = { raw: Buffer; text: string }

/** Each line becomes an object, so a body of `0000` alone would take 30 times its own size. */
const maxLines = 50_000

/** Ends with undefined if the body is malformed, or has too many lines. Each text is decoded once. */
function* linesOf(body: Buffer): Generator<Line | undefined, void> {
  let count = 0
  for (let at = 0; at < body.length; count += 1) {
    const end = count < maxLines ? endOfLine(body, at) : undefined
    if (end === undefined) {
      yield undefined
      return
    }
    const isEnded = end > at + 4 && body[end - 1] === lineFeed
    yield {
      raw: body.subarray(at, end),
      text: body.toString('latin1', at + 4, isEnded ? end - 1 : end),
    }
    at = end
  }
}

function endOfLine(body: Buffer, at: number): number | undefined {
  const length = body.toString('latin1', at, at + 4)
  if (length === '0000' || length === '0001' || length === '0002') return at + 4
  if (!/^[0-9a-f]{4}$/.test(length)) return undefined
  const end = at + Number.parseInt(length, 16)
  return end < at + 4 || end > body.length ? undefined : end
}

const lineFeed = 0x0a

const lineOf = (text: string): Buffer =>
  Buffer.from(`${(text.length + 4).toString(16).padStart(4, '0')}${text}`, 'latin1')

export type Wants = {
  /** `ls-refs` and what else names nothing, or `fetch`. */
  command: 'ls-refs' | 'fetch'
  objects: string[]
  refs: string[]
}

/** What a request to `git-upload-pack` asks for; undefined if that is unclear. */
export function wantsOf(body: Buffer): Wants | undefined {
  let command: string | undefined
  let wanted = 0
  const objects: string[] = []
  const refs: string[] = []
  for (const line of linesOf(body)) {
    if (!line) return undefined
    const { text } = line
    if (text.startsWith('command=')) command ??= text.slice('command='.length)
    if (!text.startsWith('want')) continue
    wanted += 1
    const [, object] = /^want ([0-9a-f]{40,64})\b/.exec(text) ?? []
    if (object !== undefined) objects.push(object)
    const [, ref] = /^want-ref (.+)$/.exec(text) ?? []
    if (ref !== undefined) refs.push(ref)
  }
  if (command !== undefined && command !== 'ls-refs' && command !== 'fetch') return undefined
  if (wanted !== objects.length + refs.length) return undefined
  return { command: command === 'ls-refs' ? 'ls-refs' : 'fetch', objects, refs }
}

export type Advertisement = {
  body: Buffer
  /** Ids that may be requested from now on. */
  objects: string[]
}

/** What is gone through until others have their turn: some 2,000 lines of a ref each, 5 ms. */
const bytesOfPart = 256 * 1_024
/** What a line takes beside its bytes. */
const bytesOfLine = 64

/**
 * Removes the refs that no module source names from a host's answer. Undefined if the answer is no such
 * list. A list of the capabilities of version 2 is passed on unchanged. It yields between parts: the host is
 * the tenant's own, and a list of 2 MiB must not hold all else up.
 */
export function* onlyAllowed(
  answer: Buffer,
  allowed: AllowedRefs,
): Generator<void, Advertisement | undefined> {
  const lines: RefLine[] = []
  const isPartOver = parts()
  for (const line of linesOf(answer)) {
    if (!line) return undefined
    lines.push({ ...line, ref: parseRef(line.text) })
    if (isPartOver(line)) yield
  }
  if (lines.some(({ text }) => text === 'version 2')) return { body: answer, objects: [] }
  const keeps = choice(lines, allowed)
  // In version 0 the capabilities follow the first ref, whichever that is.
  let capabilities = lines.find(({ ref }) => ref?.capabilities)?.ref?.capabilities
  const objects: string[] = []
  const kept: Buffer[] = []
  for (const line of lines) {
    const { raw, ref } = line
    if (!ref) kept.push(raw)
    else if (keeps(ref)) {
      objects.push(ref.id, ...ref.peeled)
      kept.push(lineOf(`${ref.text}${capabilities ?? ''}\n`))
      capabilities = undefined
    }
    if (isPartOver(line)) yield
  }
  if (capabilities !== undefined) return undefined
  return { body: Buffer.concat(kept), objects }
}

type RefLine = Line & { ref: Ref | undefined }

function parts(): (line: Line) => boolean {
  let left = bytesOfPart
  return ({ raw }) => {
    left -= raw.length + bytesOfLine
    if (left > 0) return false
    left = bytesOfPart
    return true
  }
}

/** Which refs are kept: HEAD, its branch and those that are named. */
function choice(lines: readonly RefLine[], allowed: AllowedRefs): (ref: Ref) => boolean {
  const head = lines.find(({ ref }) => ref?.name === 'HEAD')?.ref
  const symrefs = new Set(lines.flatMap(({ ref }) => ref?.headLeadsTo ?? []))
  // A host of protocol version 0 identifies HEAD's branch by the commit's id alone.
  const isHeads = (ref: Ref) =>
    symrefs.size > 0
      ? symrefs.has(ref.name)
      : ref.id === head?.id && ref.name.startsWith('refs/heads/')
  return (ref) => {
    const name = ref.name.replace(/\^\{\}$/, '')
    return name === 'HEAD' || isHeads(ref) || allowed.has(name)
  }
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

function parseRef(line: string): Ref | undefined {
  const end = line.indexOf('\0')
  const text = end < 0 ? line : line.slice(0, end)
  const capabilities = end < 0 ? undefined : line.slice(end)
  // Without `$`: a line feed within the line would have it tried from each character on.
  const [, id, name, attributes = ''] = /^([0-9a-f]{40,64}) (\S+)(.*)/.exec(text) ?? []
  if (id === undefined || name === undefined) return undefined
  const target = name === 'HEAD' ? / symref-target:(\S+)/.exec(attributes)?.[1] : undefined
  const leads = [...(capabilities?.matchAll(/[\0 ]symref=HEAD:(\S+)/g) ?? [])].map(([, to]) => to)
  return {
    id,
    name,
    text,
    peeled: [/ peeled:([0-9a-f]{40,64})/.exec(attributes)?.[1]].flatMap((one) => one ?? []),
    headLeadsTo: [target, ...leads].flatMap((one) => one ?? []),
    capabilities,
  }
}
