import { addressSubject } from '../../domain/access/address-subject.ts'
import { createTurns } from '../../gateways/runner/turns.ts'
import { createPlaces } from '../http/places.ts'
import { triesInFlight } from './refusals.ts'

/** Of one address in one process, waiting ones included. */
export const passwordsAtOnce = 11
/** A hundred wait for two or three seconds. */
const allPasswordsAtOnce = 100

const places = createPlaces<string>({ ofOrganization: passwordsAtOnce, atOnce: allPasswordsAtOnce })
/** Argon2 runs in Node's four threads, which also compress answers and read files: two are left to those. */
const turns = createTurns<string>({ atOnce: 2, ofOrganization: 1, waiting: Infinity })

/**
 * Runs work that verifies or hashes a password. Tries are counted by e-mail address, so that an attacker who invents
 * addresses is stopped by none of those counts: without turns each request would queue up to four runs of Argon2.
 * Taken before a try is counted: a refusal here is no failed try, and concurrent right passwords of one person come
 * one after the other. Not within a transaction: it may wait.
 */
export async function inPasswordTurn<T>(ip: string, work: () => Promise<T>): Promise<T> {
  const subject = addressSubject(ip)
  const working = places.run(subject, async () => {
    const leave = await turns.take(subject)
    try {
      return await work()
    } finally {
      leave()
    }
  })
  if (!working) throw triesInFlight()
  return working
}
