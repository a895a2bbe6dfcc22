import { useNow } from './use-now.ts'

const makeFormats = () => ({
  day: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }),
  year: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }),
  clock: new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }),
})
/** Made where it is needed: the first pages have no seconds. */
let clockFormat: Intl.DateTimeFormat | undefined
let formats: ReturnType<typeof makeFormats> | undefined

const timeFormats = () => (formats ??= makeFormats())

/** A time in the viewer's time zone. The title shows it in UTC. */
export function Time({ at }: { at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={titleOf(at)}>
      {textOf(date)}
    </time>
  )
}

/** The same to the second, for what happened in order. */
export function Clock({ at }: { at: string }) {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  const { day } = timeFormats()
  clockFormat ??= new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
  const clock = clockFormat.format(date)
  return (
    <time dateTime={at} title={titleOf(at)} className="num">
      {isToday ? clock : `${day.format(date)}, ${clock}`}
    </time>
  )
}

const titleOf = (at: string): string => `${at.replace('T', ' ').slice(0, 19)} UTC`

function textOf(date: Date): string {
  const now = new Date()
  const { day, year, clock: clockFormat } = timeFormats()
  const clock = clockFormat.format(date)
  if (date.toDateString() === now.toDateString()) return clock
  if (date.getFullYear() === now.getFullYear()) return `${day.format(date)}, ${clock}`
  return `${year.format(date)}, ${clock}`
}

/** The duration between two times, or from a time until now. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  const now = useNow(to === null)
  const ms = Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from))
  return <span className="num">{durationText(ms)}</span>
}

export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 1) return `${ms} ms`
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
