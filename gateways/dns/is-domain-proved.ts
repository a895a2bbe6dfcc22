import { proofRecord } from '../../domain/saml/domain-proof.ts'
import { resolveTxt } from './resolve-txt.ts'

/** Undefined where DNS could not be asked. */
export async function isDomainProved(
  config: { dnsServers: readonly string[] },
  { domain, proofToken }: { domain: string; proofToken: string },
  resolve = resolveTxt,
): Promise<boolean | undefined> {
  const { name, value } = proofRecord(domain, proofToken)
  const records = await resolve(config, name)
  return records?.some((record) => record.trim() === value)
}
