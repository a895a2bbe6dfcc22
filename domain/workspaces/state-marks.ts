import { cutText } from '../infrastructure/cut-text.ts'

/**
 * Serial and lineage of a state that may be no state: cut off, or larger than could be parsed. Its
 * bytes are walked once and nothing is built of them. 0 and `unknown` where they are not found.
 */
export function stateMarks(body: Buffer): StateMarks {
  let serial: number | undefined
  let lineage: string | undefined
  let depth = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte === opens.object || byte === opens.list) depth += 1
    else if (byte === closes.object || byte === closes.list) depth -= 1
    else if (byte === quote) {
      const end = endOfString(body, at)
      if (depth === 1 && end - at <= maxNameBytes) {
        const name = body.toString('latin1', at + 1, end - 1)
        if (name === 'serial') serial ??= serialIn(valueAt(body, end))
        if (name === 'lineage') lineage ??= lineageIn(valueAt(body, end))
      }
      at = end - 1
    }
    if (serial !== undefined && lineage !== undefined) break
  }
  return { serial: serial ?? 0, lineage: lineage ?? 'unknown' }
}

export type StateMarks = { serial: number; lineage: string }

const quote = 0x22
const backslash = 0x5c
const opens = { object: 0x7b, list: 0x5b }
const closes = { object: 0x7d, list: 0x5d }
const maxNameBytes = 20
const maxLineageLength = 200
/** A value and the space around its colon; in UTF-8 and with escapes a lineage takes no more. */
const maxValueBytes = 1_500

/** What follows a name, as text; not a colon where the text was no name. */
const valueAt = (body: Buffer, end: number): string =>
  body.toString('utf8', end, end + maxValueBytes)

function serialIn(text: string): number | undefined {
  const digits = /^\s*:\s*(\d{1,16})\s*[,}]/.exec(text)?.[1]
  return digits !== undefined && Number.isSafeInteger(Number(digits)) ? Number(digits) : undefined
}

function lineageIn(text: string): string | undefined {
  const written = /^\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  if (written === undefined) return undefined
  try {
    const lineage: unknown = JSON.parse(written)
    return typeof lineage === 'string' ? cutText(lineage, maxLineageLength) : undefined
  } catch {
    return undefined
  }
}

/** The place after the closing quote: the first one that an even number of backslashes stands before. */
function endOfString(body: Buffer, start: number): number {
  for (let at = body.indexOf(quote, start + 1); at > 0; at = body.indexOf(quote, at + 1)) {
    let slashes = 0
    while (body[at - 1 - slashes] === backslash) slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
  return body.length
}
