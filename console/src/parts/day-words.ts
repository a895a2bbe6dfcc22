let format: Intl.DateTimeFormat | undefined

/** A day, which is one of UTC. */
export const dayWords = (day: string): string =>
  (format ??= new Intl.DateTimeFormat('en', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })).format(new Date(`${day}T00:00:00Z`))
