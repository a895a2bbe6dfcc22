import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { proofRecord } from '../../../domain/saml/domain-proof.ts'
import { isDomainProved } from '../../../gateways/dns/is-domain-proved.ts'
import { startDnsServer, type DnsServer } from '../../harness/dns-server.ts'

let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
})
afterAll(async () => dns.close())
beforeEach(() => {
  dns.records.clear()
  dns.mode = 'answer'
})

const claim = { domain: 'acme.test', proofToken: 'a'.repeat(32) }
const { name, value } = proofRecord(claim.domain, claim.proofToken)
const proved = async () => isDomainProved({ dnsServers: [dns.address] }, claim)

test('the record proves the domain, beside other records and with spaces around it', async () => {
  dns.records.set(name, ['v=spf1 -all', ` ${value} `])
  expect(await proved()).toBe(true)
  expect(dns.asked).toContain('_cloud-control.acme.test')
})

test('an unknown name, no TXT record, another token, and a record with the same prefix do not prove it', async () => {
  expect(await proved()).toBe(false)
  dns.records.set(name, [])
  expect(await proved()).toBe(false)
  dns.records.set(name, [proofRecord(claim.domain, 'b'.repeat(32)).value, `${value}0`])
  expect(await proved()).toBe(false)
  dns.records.clear()
  dns.records.set(claim.domain, [value])
  expect(await proved()).toBe(false)
})

test('the answer is undecided while the name server fails', async () => {
  dns.mode = 'refuse'
  expect(await proved()).toBeUndefined()
})

test('answers of another resolver are checked in the same way', async () => {
  const said = (records: string[] | undefined) =>
    isDomainProved({ dnsServers: [] }, claim, async () => records)
  expect(await said([value])).toBe(true)
  expect(await said([])).toBe(false)
  expect(await said(undefined)).toBeUndefined()
})
