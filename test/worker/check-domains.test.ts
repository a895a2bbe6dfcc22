import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTasks } from '../../worker/run-tasks.ts'
import { checkDomains, checkDomainsTask } from '../../worker/tasks/check-domains.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startDnsServer, type DnsServer } from '../harness/dns-server.ts'
import { createSamlOrganization, type SamlOrganization } from '../harness/saml-organization.ts'

let dns: DnsServer
let harness: Harness
let saml: SamlOrganization
beforeAll(async () => {
  dns = await startDnsServer()
  harness = await createHarness({
    env: { CC_DOMAIN_PROOF: 'dns', CC_DNS_SERVERS: dns.address },
  })
  saml = await createSamlOrganization(harness)
})
afterAll(async () => {
  await harness.close()
  await dns.close()
})

const shown = async () => {
  const [domain] = (await saml.admin.get('/api/org/saml')).json().saml.domains
  return domain
}
/** As if the last look were so long ago. */
const age = async (interval: string) => {
  const { platform } = harness.deps.store
  await platform('domain_claims').update({
    checkedAt: platform.raw(`now() - ?::interval`, [interval]),
  })
}
const check = async () => checkDomains({ ...harness.deps, config: harness.config })
const routed = async () => {
  const payload = { email: `ada@${saml.domain}` }
  return (await harness.app.inject({ method: 'POST', url: '/api/auth/saml/login', payload }))
    .statusCode
}
const events = async () => {
  const { entries } = (await saml.admin.get('/api/audit')).json()
  return entries
    .map(({ event }: { event: string }) => event)
    .filter((event: string) => event.startsWith('saml.domain'))
}

test('a domain is proved once its record is there, and no longer once it is gone', async () => {
  const { proved, record } = await shown()
  expect([proved, await routed()]).toEqual([false, 404])

  dns.records.set(record.name, [record.value])
  // Looked up a moment ago, when it was saved.
  await check()
  expect((await shown()).proved).toBe(false)
  await age('11 minutes')
  await check()
  expect([(await shown()).proved, await routed()]).toEqual([true, 200])

  dns.records.clear()
  await age('11 minutes')
  await check()
  expect((await shown()).proved).toBe(true)
  await age('61 minutes')
  dns.mode = 'refuse'
  await check()
  // Nothing was learnt, so nothing changes.
  expect([(await shown()).proved, await routed()]).toEqual([true, 200])
  dns.mode = 'answer'
  await check()
  expect([(await shown()).proved, await routed()]).toEqual([false, 404])
  expect(await events()).toEqual(['saml.domain_proof_lost', 'saml.domain_proved'])
})

test('the worker looks by itself', async () => {
  const { record } = await shown()
  dns.records.set(record.name, [record.value])
  await age('11 minutes')
  const { log } = harness.deps
  const tasks = startTasks([checkDomainsTask(harness.deps)], { registry: new Registry(), log })
  await expect.poll(async () => (await shown()).proved, { timeout: 20_000 }).toBe(true)
  await tasks.stop()
})

test('a suspended organization’s domains are not looked up, nor any where none need proof', async () => {
  await age('61 minutes')
  const { platform } = harness.deps.store
  const before = dns.asked.length
  await checkDomains({
    ...harness.deps,
    config: { ...harness.config, domainProof: 'none' },
  })
  await platform('organizations').where({ id: saml.org.id }).update({ status: 'suspended' })
  await check()
  expect(dns.asked).toHaveLength(before)
})
