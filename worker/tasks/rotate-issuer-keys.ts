import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { makeIssuerKey } from '../../gateways/issuer/issuer-key.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { issuerKeys, placeOfIssuerKey } from '../../store/clouds/issuer-keys.ts'
import type { Store } from '../../store/driver/connect.ts'
import { dueIssuers } from '../../store/platform/issuers.ts'
import type { RecurringTask } from '../run-tasks.ts'

const atOnce = 50

/** Publishes the next key of an issuer a day before it signs, and removes the last one a day after. */
export const rotateIssuerKeysTask = ({
  store,
  keyring,
  log,
}: {
  store: Store
  keyring: Keyring
  log: Pick<Logger, 'warn'>
}): RecurringTask => ({
  name: 'rotate-issuer-keys',
  everyMs: 600_000,
  async run() {
    const due = await dueIssuers(store.platform, atOnce)
    await eachByItself(due, {
      task: 'rotate-issuer-keys',
      log,
      async work({ organizationId, needsNext }) {
        const next = needsNext
          ? keyring.seal(placeOfIssuerKey(organizationId), await makeIssuerKey())
          : undefined
        await store.tenant(organizationId, async (tenant) => {
          const added = next ? await issuerKeys(tenant).addNext(next) : false
          const removed = await issuerKeys(tenant).removeOld()
          if (!added && removed === 0) return
          await auditLog(tenant, systemActor).record('cloud.issuer_key_rotated', {
            target: { kind: 'organization', id: organizationId },
            detail: { published: added ? 1 : 0, removed },
          })
        })
      },
    })
    return due.length === atOnce ? 'more' : 'done'
  },
})
