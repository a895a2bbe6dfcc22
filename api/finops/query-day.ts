import { Pattern } from '../http/pattern.ts'

/** Days that both PostgreSQL and JavaScript support. */
export const QueryDay = Pattern(
  '^(19[7-9]|[2-9][0-9]{2})[0-9]-',
  'a day from 1970 on, as 2026-01-31',
  {
    format: 'date',
  },
)
