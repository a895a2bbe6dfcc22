import type { Cloud, CloudDeps, GoogleTarget } from '../cloud.ts'
import { googleInventory } from './google-inventory.ts'
import { googleSession } from './google-session.ts'
import { validateGoogle } from './validate-google.ts'

/** A Google project, folder or organization. Its calls go over connections of its own. */
export function openGoogle(target: GoogleTarget, deps: CloudDeps): Cloud {
  const kept = deps.outbound.keep()
  const session = googleSession(target, deps, kept)
  return {
    ...googleInventory(session),
    validate: async (signal) => validateGoogle(session, kept, signal),
    close: () => kept.close(),
  }
}
