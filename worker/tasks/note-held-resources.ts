import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { noteHeldResources } from '../../app/workspaces/note-held-resources.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Store } from '../../store/driver/connect.ts'
import { unreadStates } from '../../store/platform/unread-states.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** The limit of one run: each may be 64 MiB. The next run follows at once where more are left. */
const maxStates = 20

/**
 * Reads the states that were stored before workspaces owned resources, each once. What is done is noted
 * with each state, so a worker that stops loses at most the one that it reads.
 */
export const noteHeldResourcesTask = ({
  store,
  keyring,
  log,
}: {
  store: Store
  keyring: Keyring
  log: Logger
}): RecurringTask => ({
  name: 'note-held-resources',
  everyMs: 60_000,
  async run() {
    const unread = await unreadStates(store.platform, maxStates)
    await eachByItself(unread, {
      task: 'note-held-resources',
      log,
      work: async (place) => noteHeldResources({ store, keyring }, place),
    })
    return unread.length === maxStates ? 'more' : 'done'
  },
})
