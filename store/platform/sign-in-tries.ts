import type { PlatformDb } from '../driver/connect.ts'

const lockAfterFailures = 5
const lockDurationMinutes = 15

const lockDuration = `interval '${lockDurationMinutes} minutes'`
/** Far longer than a verification takes: what is still under way then was lost with its process. */
const flight = `interval '60 seconds'`

const endsAt = `coalesce(f.locked_until, f.window_started_at + ${lockDuration})`
const isOver = `${endsAt} <= now()`
const isLost = `f.in_flight_until <= now()`
/** A try that was lost counts as failed: were it free, whoever can stall us would have tries without end. */
const failures = `case when ${isOver} then 0
  else least(f.failures + case when ${isLost} then f.in_flight else 0 end, ${lockAfterFailures}) end`
const inFlight = `case when ${isLost} then 0 else f.in_flight end`
const windowStartedAt = `case when ${isOver} then now() else f.window_started_at end`

/** `busy`: as many are under way as may still fail before the lock. */
export type TakenTry = 'taken' | 'busy' | { lockedSeconds: number }

/** Failed tries and those under way, by what is guessed at: an address or a person's code. */
export function signInTries(db: PlatformDb) {
  return {
    /**
     * Takes one of the five tries before anything is verified: failures and tries under way
     * together are never more, so that of fifty at once at most five are checked. Each ends by
     * `end`; only those that failed lock.
     */
    async take(subject: Buffer): Promise<TakenTry> {
      const taken = await db.raw(
        `insert into sign_in_failures as f (subject, failures, in_flight, in_flight_until, window_started_at)
           values (:subject, 0, 1, now() + ${flight}, now())
         on conflict (subject) do update set failures = ${failures}, in_flight = ${inFlight} + 1,
           in_flight_until = now() + ${flight}, window_started_at = ${windowStartedAt}, locked_until = null
         where ${failures} + ${inFlight} < ${lockAfterFailures}
         returning subject`,
        { subject },
      )
      if (taken.rowCount === 1) return 'taken'
      // A try that began before the fifth failure has an earlier now(): no lock is told as longer than it is.
      const { rows } = await db.raw(
        `select least(ceil(extract(epoch from ${endsAt} - now())), extract(epoch from ${lockDuration}))::integer as seconds
         from sign_in_failures f where subject = :subject and ${failures} = ${lockAfterFailures}`,
        { subject },
      )
      return rows[0] ? { lockedSeconds: Math.max(1, rows[0].seconds) } : 'busy'
    },

    /**
     * The fifth failure starts the lock, which lasts its whole time whenever the first was. A success sets the count
     * back. `released`: the try counts as none.
     */
    async end(subject: Buffer, outcome: 'succeeded' | 'released' | 'failed'): Promise<void> {
      if (outcome === 'succeeded') return forget(db, subject, { ended: 1 })
      if (outcome === 'released') return release(db, subject)
      await db.raw(
        `insert into sign_in_failures as f (subject, failures, window_started_at) values (:subject, 1, now())
         on conflict (subject) do update set failures = least(${failures} + 1, ${lockAfterFailures}),
           in_flight = greatest(${inFlight} - 1, 0), window_started_at = ${windowStartedAt},
           locked_until = case when ${isOver} then null
                               when ${failures} + 1 >= ${lockAfterFailures}
                                 then coalesce(f.locked_until, now() + ${lockDuration})
                               else f.locked_until end`,
        { subject },
      )
    },

    async clear(subject: Buffer): Promise<void> {
      await forget(db, subject, { ended: 0 })
    },
  }
}

async function release(db: PlatformDb, subject: Buffer): Promise<void> {
  await db.raw(
    'update sign_in_failures set in_flight = greatest(in_flight - 1, 0) where subject = :subject',
    { subject },
  )
}

/** Failures alone: a try that is under way and fails afterwards still counts. */
async function forget(
  db: PlatformDb,
  subject: Buffer,
  { ended }: { ended: number },
): Promise<void> {
  const { rowCount } = await db.raw(
    'delete from sign_in_failures where subject = :subject and in_flight <= :ended',
    { subject, ended },
  )
  if (rowCount > 0) return
  await db.raw(
    `update sign_in_failures as f set failures = 0, locked_until = null, in_flight = greatest(${inFlight} - :ended, 0)
     where subject = :subject and in_flight > :ended`,
    { subject, ended },
  )
}
