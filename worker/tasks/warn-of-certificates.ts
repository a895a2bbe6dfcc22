import type { Store } from '../../store/driver/connect.ts'
import { warnOfCertificates } from '../../store/platform/warn-of-certificates.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Queues one mail for each certificate of an identity provider that expires soon. */
export const warnOfCertificatesTask = ({ store }: { store: Store }): RecurringTask => ({
  name: 'warn-of-certificates',
  everyMs: 5 * 60_000,
  async run() {
    await warnOfCertificates(store.platform)
    return 'done'
  },
})
