import { domainToASCII } from 'node:url'
import { publicMailDomains } from './public-mail-domains.ts'

/** The domain of an address or a bare one, as it is compared: lower case, ASCII; undefined where it is none. */
export function normalDomain(text: string): string | undefined {
  const ascii = domainToASCII(text.trim().toLowerCase().replace(/^@/, ''))
  return domainPattern.test(ascii) && ascii.length <= 253 ? ascii : undefined
}

const domainPattern =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** What is wrong with a domain that an organization claims. Whether somebody else has it is told to nobody. */
export function faultOfDomain(text: string): string | undefined {
  const domain = normalDomain(text)
  if (!domain) return 'is not a domain name like example.com'
  return publicMailDomains.has(domain)
    ? 'is a public mailbox provider: its addresses belong to everybody'
    : undefined
}
