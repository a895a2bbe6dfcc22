import type { Logger } from 'pino'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { isDomainProved } from '../../gateways/dns/is-domain-proved.ts'
import { resolveTxt } from '../../gateways/dns/resolve-txt.ts'
import type { Config } from '../../config.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import { dueDomains, type DueDomain } from '../../store/platform/due-domains.ts'
import { needsDomainProof } from '../../store/platform/needs-domain-proof.ts'
import { domainClaims } from '../../store/saml/domain-claims.ts'
import type { RecurringTask } from '../run-tasks.ts'

const atOnce = 20

export type CheckDomainsDeps = {
  store: Store
  log: Pick<Logger, 'warn'>
  config: Pick<Config, 'domainProof' | 'dnsServers'>
  resolve?: typeof resolveTxt
}

export const checkDomainsTask = (deps: CheckDomainsDeps): RecurringTask => ({
  name: 'check-domains',
  everyMs: 60_000,
  async run() {
    await checkDomains(deps)
    return 'done'
  },
})

/** Looks up the proofs of claimed domains in DNS again. If the name server does not answer, nothing changes. */
export async function checkDomains({
  store,
  log,
  config,
  resolve,
}: CheckDomainsDeps): Promise<void> {
  if (!(await needsDomainProof(store.platform, config.domainProof))) return
  const due = await dueDomains(store.platform, atOnce)
  await eachByItself(due, {
    task: 'check-domains',
    log,
    atOnce,
    async work(claim) {
      const proved = await isDomainProved(config, claim, resolve)
      if (proved !== undefined) await note(store, claim, proved)
    },
  })
}

async function note(store: Store, claim: DueDomain, proved: boolean): Promise<void> {
  const { organizationId, domain } = claim
  await store.tenant(organizationId, async (tenant) => {
    if (!(await domainClaims(tenant).noteProof(claim, proved))) return
    await auditLog(tenant, systemActor).record(
      proved ? 'saml.domain_proved' : 'saml.domain_proof_lost',
      { target: { kind: 'domain', id: domain, label: domain } },
    )
  })
}
