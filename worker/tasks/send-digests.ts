import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import type { Store } from '../../store/driver/connect.ts'
import { noticeReaders } from '../../store/notifications/notice-readers.ts'
import { dueDigests } from '../../store/platform/due-digests.ts'
import type { RecurringTask } from '../run-tasks.ts'

const maxPeople = 200
const task = 'send-digests'

/** Queues one mail a person with the events of the last day, from 08:00 UTC on (docs/notifications.md). */
export const sendDigestsTask = ({
  store,
  log,
}: {
  store: Store
  log: Pick<Logger, 'warn'>
}): RecurringTask => ({
  name: task,
  everyMs: 20_000,
  async run() {
    const due = await dueDigests(store.platform, maxPeople)
    await eachByItself(due, {
      task,
      log,
      work: async ({ organizationId, userId }) =>
        store.tenant(organizationId, async (tenant) => noticeReaders(tenant).queueDigest(userId)),
    })
    return due.length === maxPeople ? 'more' : 'done'
  },
})
