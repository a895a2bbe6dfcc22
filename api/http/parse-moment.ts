import { invalid } from '../../domain/errors.ts'

const dayMs = 86_400_000

/** A day or a time of a query. As `to`, a day includes its whole day. */
export function parseMoment(path: 'from' | 'to' | 'endedFrom', text: string): Date {
  // In a query string the + of a time zone arrives as a space.
  const time = Date.parse(text.replace(/(\d) (\d\d:?\d\d)$/, '$1+$2'))
  // The parser accepts 31 February as 3 March.
  const [day = ''] = /^\d{4}-\d\d-\d\d/.exec(text) ?? []
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  if (Number.isNaN(time) || !isDay)
    throw invalid(`${path} is no time.`, [
      { path, message: 'a day (2026-01-31) or a time (2026-01-31T08:00:00Z)' },
    ])
  const wholeDay = path === 'to' && text.length === 10
  return new Date(wholeDay ? time + dayMs : time)
}
