export type Message = { level: 'debug' | 'info' | 'warn' | 'error'; line: string }

const levels: Record<string, Message['level']> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
}

/** One line of `tofu … -json` as lines for people; any other line stays as it is. */
export function tofuMessages(output: string): Message[] {
  const message = parse(output)
  if (!message) return [{ level: 'info', line: output }]
  const level = levels[text(message['@level'])] ?? 'info'
  const line = text(message['@message'])
  const diagnostic = message['diagnostic']
  if (!isRecord(diagnostic)) return [{ level, line }]
  return [
    { level, line },
    ...subjectOf(diagnostic).map((subject) => ({ level, line: subject })),
    ...placeOf(diagnostic).map((place) => ({ level, line: place })),
    ...linesOf(diagnostic['detail']).map((detail) => ({ level, line: `  ${detail}` })),
  ]
}

/** The summary of the first error, for the run's message. */
export function firstError(output: string): string | undefined {
  const message = parse(output)
  // Errors before the arguments are parsed (the CLI configuration) are printed as text, not as JSON.
  if (!message) return /^\W*Error: (.+)$/.exec(output)?.[1]
  const diagnostic = message['diagnostic']
  if (!isRecord(diagnostic) || diagnostic['severity'] !== 'error') return undefined
  const [place = ''] = placeOf(diagnostic)
  const [detail = ''] = linesOf(diagnostic['detail'])
  return [`${text(diagnostic['summary'])}${place && ` (${place.trim()})`}`, detail]
    .filter(Boolean)
    .join(': ')
}

function subjectOf(diagnostic: Record<string, unknown>): string[] {
  const address = text(diagnostic['address'])
  return address === '' ? [] : [`  with ${address}`]
}

function placeOf(diagnostic: Record<string, unknown>): string[] {
  const range = diagnostic['range']
  if (!isRecord(range)) return []
  const start = isRecord(range['start']) ? range['start'] : {}
  const file = text(range['filename'])
  return [`  on ${file} line ${text(start['line'])}, column ${text(start['column'])}`]
}

const linesOf = (detail: unknown): string[] => (text(detail) === '' ? [] : text(detail).split('\n'))

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

function parse(output: string): Record<string, unknown> | undefined {
  if (!output.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(output)
    return isRecord(value) && '@message' in value ? value : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
