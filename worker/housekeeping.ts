import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { chainHeads } from '../gateways/keyring/chain-heads.ts'
import type { Keyring } from '../gateways/keyring/keyring.ts'
import type { Store } from '../store/connect.ts'
import { sealAudit } from '../store/platform/audit-sealer.ts'
import { cleanUp } from '../store/platform/clean-up.ts'
import { pruneScimLog } from '../store/platform/prune-scim-log.ts'
import { outboxQueue } from '../store/platform/outbox-queue.ts'
import { warnOfCertificates } from '../store/platform/warn-of-certificates.ts'
import { checkDomains } from './tasks/check-domains.ts'

export type Housekeeping = { stop(): Promise<void> }

const sealMs = 2_000
const partitionMs = 6 * 3_600_000
const cleanUpMs = 60_000
const pruneMs = 5 * 60_000
const domainMs = 60_000
/** Of each table, in one round. */
const cleanUpRows = 2_000

/**
 * Recurring work: seals the audit chain within 5 s, creates partitions ahead, deletes old rows,
 * warns of ending certificates and looks claimed domains up again.
 */
export function startHousekeeping({
  config,
  store,
  keyring,
  log,
}: {
  config: Pick<Config, 'domainProof' | 'dnsServers'>
  store: Store
  keyring: Keyring
  log: Logger
}): Housekeeping {
  const heads = chainHeads(keyring)
  let stopped = false
  let partitionedAt = 0
  let cleanedAt = 0
  let prunedAt = 0
  let askedAt = 0
  let asking = Promise.resolve()
  // Beside the passes: a name server may be slow, and the audit chain must not wait for it.
  const askForDomains = () => {
    askedAt = Date.now()
    asking = checkDomains({ store, config }).catch((error: unknown) =>
      log.warn({ err: error }, 'domains could not be looked up'),
    )
  }
  const pass = async () => {
    for (;;) {
      const { sealed, stuck } = await sealAudit(store.platform, heads)
      if (sealed > 0 && !stopped) continue
      for (const { organizationId, error } of stuck)
        log.error({ organizationId, err: error }, 'an audit chain cannot be sealed')
      break
    }
    if (Date.now() - cleanedAt >= cleanUpMs) {
      // After a flood there is more: the next round goes on at once.
      const more = await cleanUp(store.platform, cleanUpRows)
      cleanedAt = more ? 0 : Date.now()
    }
    if (Date.now() - askedAt >= domainMs) askForDomains()
    if (Date.now() - prunedAt >= pruneMs) {
      prunedAt = Date.now()
      await pruneScimLog(store.platform)
      await warnOfCertificates(store.platform)
    }
    if (Date.now() - partitionedAt < partitionMs) return
    partitionedAt = Date.now()
    await store.platform.raw(`select ensure_month_partitions('audit_entries', 3)`)
    await store.platform.raw(`select ensure_month_partitions('log_lines', 3)`)
    await outboxQueue(store.platform).prune()
  }
  const loop = async () => {
    while (!stopped) {
      await pass().catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed'))
      await new Promise((resolve) => setTimeout(resolve, sealMs))
    }
  }
  const running = loop()
  return {
    async stop() {
      stopped = true
      await running
      await asking
    },
  }
}
