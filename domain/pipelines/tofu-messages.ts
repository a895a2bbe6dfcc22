export type Message = { level: 'debug' | 'info' | 'warn' | 'error'; line: string }

const levels: Record<string, Message['level']> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
}

/** One line of `tofu … -json` as lines for people; a line that is not of that form stays what it is. */
export function tofuMessages(text: string): Message[] {
  const message = parse(text)
  if (!message) return [{ level: 'info', line: text }]
  const level = levels[String(message['@level'])] ?? 'info'
  const line = String(message['@message'] ?? '')
  const diagnostic = message['diagnostic']
  if (!isRecord(diagnostic)) return [{ level, line }]
  return [
    { level, line },
    ...placeOf(diagnostic).map((place) => ({ level, line: place })),
    ...linesOf(diagnostic['detail']).map((detail) => ({ level, line: `  ${detail}` })),
  ]
}

/** The summary of the first error, for the run's message. */
export function firstError(text: string): string | undefined {
  const message = parse(text)
  const diagnostic = message?.['diagnostic']
  if (!isRecord(diagnostic) || diagnostic['severity'] !== 'error') return undefined
  return [String(diagnostic['summary'] ?? 'Error'), ...placeOf(diagnostic)].join(' ').trim()
}

function placeOf(diagnostic: Record<string, unknown>): string[] {
  const range = diagnostic['range']
  if (!isRecord(range)) return []
  const start = isRecord(range['start']) ? range['start'] : {}
  const file = String(range['filename'] ?? '')
  return [
    `  on ${file} line ${String(start['line'] ?? '?')}, column ${String(start['column'] ?? '?')}`,
  ]
}

const linesOf = (text: unknown): string[] =>
  typeof text === 'string' && text !== '' ? text.split('\n') : []

function parse(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && '@message' in value ? value : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
