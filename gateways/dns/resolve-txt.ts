import { Resolver } from 'node:dns/promises'

const timeoutMs = 2_000
const tries = 2
const absent = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * The TXT records of a name: empty if the name server says there are none; undefined if it could not be
 * asked, which proves nothing either way.
 */
export async function resolveTxt(
  { dnsServers }: { dnsServers: readonly string[] },
  name: string,
): Promise<string[] | undefined> {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (dnsServers.length > 0) resolver.setServers([...dnsServers])
  try {
    const records = await resolver.resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (error) {
    // The resolver puts its own code on its errors.
    const { code } = error as { code?: string }
    return code !== undefined && absent.has(code) ? [] : undefined
  }
}
