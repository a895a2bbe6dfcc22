import type { Cloud, CloudDeps, GoogleTarget, LendAsked } from '../cloud.ts'
import { googleBills } from './google-bills.ts'
import { googleInventory } from './google-inventory.ts'
import { googleSession } from './google-session.ts'
import { lendGoogle } from './lend-google.ts'
import { validateGoogle } from './validate-google.ts'

/** A Google project, folder or organization. Its calls go over connections of its own. */
export function openGoogle(target: GoogleTarget, deps: CloudDeps): Cloud {
  const kept = deps.outbound.keep()
  const session = googleSession(target, deps, kept)
  const lend = async (asked: LendAsked) => lendGoogle(target, { deps, kept }, asked)
  return {
    ...googleInventory(session),
    validate: async (signal) => validateGoogle(session, { outbound: kept, lend, deps }, signal),
    lend,
    bills: () => googleBills(session, kept),
    close: () => kept.close(),
  }
}
