import type { LogLevel } from './log-line.ts'

/**
 * The diagnostics of OpenTofu in the log of a stage, in the form in which `tofu-messages.ts` wrote them. Read
 * from the log because its lines are masked, and because runs of before have them too.
 */
export function diagnosticsIn(lines: readonly NumberedLine[]): Diagnostic[] {
  const found: Diagnostic[] = []
  let last: Diagnostic | undefined
  let nextSeq = 0
  for (const { seq, level, line } of lines) {
    const summary = heads.exec(line)?.groups?.['summary']
    if (summary !== undefined) {
      if (found.length === maxDiagnostics) break
      last = begun({ seq, level, summary })
      found.push(last)
    } else if (last && seq === nextSeq && line.startsWith('  ')) addLine(last, line)
    else last = undefined
    nextSeq = seq + 1
  }
  return found.map((one) => {
    const variable = variableWithoutValue(one)
    // Nobody here has the command line that OpenTofu then speaks of.
    const detail = variable === null ? one.detail : one.detail.replace(/ Use a -var [^]*$/, '')
    return { ...one, detail: detail.trim().slice(0, maxDetail), variable }
  })
}

export const maxDiagnostics = 100
const maxDetail = 4_000

export type NumberedLine = { seq: number; level: LogLevel; line: string }
export type Diagnostic = {
  severity: 'error' | 'warning'
  /** Its first line in the log. */
  seq: number
  summary: string
  detail: string
  /** The resource that it is about. */
  address: string | null
  /** As OpenTofu names it, from the folder that it works in. */
  file: string | null
  line: number | null
  column: number | null
  /** The variable that needs a value, where that is what is missing. */
  variable: string | null
}

const heads = /^(?:Error|Warning): (?<summary>.+)$/
const places = /^ {2}on (?<file>.+) line (?<line>\d+), column (?<column>\d+)$/
const subjects = /^ {2}with (?<address>\S.*)$/

const begun = (head: { seq: number; level: LogLevel; summary: string }): Diagnostic => ({
  severity: head.level === 'error' ? 'error' : 'warning',
  seq: head.seq,
  summary: head.summary,
  detail: '',
  address: null,
  file: null,
  line: null,
  column: null,
  variable: null,
})

/** The subject and the place come before the text, each at most once. */
function addLine(diagnostic: Diagnostic, text: string): void {
  const isBeforeText = diagnostic.detail === '' && diagnostic.file === null
  const subject = isBeforeText && diagnostic.address === null && subjects.exec(text)?.groups
  const place = isBeforeText && places.exec(text)?.groups
  if (place) {
    diagnostic.file = place['file'] ?? null
    diagnostic.line = Number(place['line'])
    diagnostic.column = Number(place['column'])
  } else if (subject) diagnostic.address = subject['address'] ?? null
  else diagnostic.detail += `${text.slice(2)}\n`
}

const variableWithoutValue = ({ summary, detail }: Diagnostic): string | null =>
  summary === 'No value for required variable'
    ? (/variable "(?<name>[^"]+)"/.exec(detail)?.groups?.['name'] ?? null)
    : null
