import { domainToASCII } from 'node:url'
import { publicMailDomains } from './public-mail-domains.ts'

/** Normalizes a domain, or that of an address: lower case, ASCII; undefined if it is none. */
export function normalDomain(text: string): string | undefined {
  const ascii = domainToASCII(text.trim().toLowerCase().replace(/^@/, ''))
  return domainPattern.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

const domainPattern =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** Why a domain cannot be claimed. Does not say whether another organization has it. */
export function faultOfDomain(text: string): string | undefined {
  const domain = normalDomain(text)
  if (!domain) return 'is not a domain name like example.com'
  return publicMailDomains.has(domain)
    ? 'is a public mailbox provider: its addresses belong to everybody'
    : undefined
}
