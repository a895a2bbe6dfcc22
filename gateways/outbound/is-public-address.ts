import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Whether an IP address is on the public internet. Stops server-side request forgery: an address chosen by
 * an attacker, a DNS answer or a plan must reach neither this host, nor its network, nor the cloud's metadata
 * service.
 */
export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) only occurs on link-local addresses, which are refused anyway.
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4') && !isOwnAddress(address)
  if (family !== 6 || address.includes('%')) return false
  // Only global unicast (2000::/3) is let through, so ::1, v4-mapped, NAT64 (64:ff9b::/96),
  // unique-local (fd00:ec2::254), link-local, site-local and multicast are refused by default.
  if (!globalUnicast.check(address, 'ipv6')) return false
  return !refused.check(address, 'ipv6') && !isOwnAddress(address)
}

const refusedRanges = [
  ['0.0.0.0', 8], // "this network": Linux connects 0.0.0.0 to the host itself
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba's metadata service is 100.100.100.200
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host agent: a public number that only a virtual machine reaches
  ['169.254.0.0', 16], // link-local, and most clouds' metadata service at 169.254.169.254
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // IETF protocols; Oracle's metadata service is 192.0.0.192
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
  ['2001::', 23], // Teredo, ORCHID and other tunnels: they carry an IPv4 address past these rules
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: the same
  ['3fff::', 20], // documentation
] as const

const refused = new BlockList()
for (const [network, bits] of refusedRanges)
  refused.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** The host's own public address reaches services that are meant for its neighbours only. */
function isOwnAddress(address: string): boolean {
  const own = new BlockList()
  for (const entries of Object.values(networkInterfaces()))
    for (const entry of entries ?? [])
      own.addAddress(entry.address, entry.family === 'IPv6' ? 'ipv6' : 'ipv4')
  return own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
