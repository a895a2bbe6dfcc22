import type { Logger } from 'pino'
import { chainHeads } from '../../gateways/keyring/chain-heads.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { Store } from '../../store/driver/connect.ts'
import { sealAudit } from '../../store/platform/audit-sealer.ts'
import type { RecurringTask } from '../run-tasks.ts'

export type SealAuditDeps = { store: Store; keyring: Keyring; log: Pick<Logger, 'error'> }

/** Seals the audit chains: an entry is in its chain within 5 s of its commit. */
export function sealAuditTask({ store, keyring, log }: SealAuditDeps): RecurringTask {
  const heads = chainHeads(keyring)
  return {
    name: 'seal-audit',
    everyMs: 2_000,
    async run() {
      const { sealed, stuck } = await sealAudit(store.platform, heads)
      if (sealed > 0) return 'more'
      for (const { organizationId, error } of stuck)
        log.error({ organizationId, err: error }, 'an audit chain cannot be sealed')
      return 'done'
    },
  }
}
