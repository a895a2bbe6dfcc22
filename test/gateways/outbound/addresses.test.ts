import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { isPublicAddress } from '../../../gateways/outbound/is-public-address.ts'
import { resolveTarget } from '../../../gateways/outbound/resolve-target.ts'

describe('which addresses are public', () => {
  test.each(
    [
      ['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.254'],
      ['168.63.129.16', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192'],
      ['192.168.1.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
      ['::', '::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
      ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
      ['2001::1', '2001:0:7f00:1::', '2002:7f00:1::', '2001:db8::1', '3fff::1', '100::1'],
      ['localhost', '', '2130706433', '0x7f.1', '127.1'],
    ].flat(),
  )('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  test('an address of this host is not public, in any range', () => {
    for (const entries of Object.values(networkInterfaces()))
      for (const entry of entries ?? []) expect(isPublicAddress(entry.address)).toBe(false)
  })
})

describe('addresses to which a name resolves', () => {
  const target = { host: 'x.example', port: 443, use: 'git' } as const
  const answers = (...addresses: string[]) => ({
    privateHosts: [],
    lookup: async () => addresses.map((address) => ({ address, family: 4 })),
  })

  test('one private address among public ones refuses the name', async () => {
    const rules = answers('8.8.8.8', '10.0.0.1')
    await expect(resolveTarget(target, rules)).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
    expect(await resolveTarget(target, answers('8.8.8.8'))).toHaveLength(1)
    await expect(resolveTarget(target, answers())).rejects.toMatchObject({ fault: 'unavailable' })
  })

  test('a private host is opened only for its use, host and port', async () => {
    const privateHosts = [{ use: 'git', host: 'x.example', port: 443 } as const]
    const rules = { ...answers('10.0.0.1'), privateHosts }
    expect(await resolveTarget({ ...target, host: 'X.example.' }, rules)).toHaveLength(1)
    for (const other of [{ use: 'cloud' as const }, { port: 444 }, { host: 'y.example' }])
      await expect(resolveTarget({ ...target, ...other }, rules)).rejects.toMatchObject({
        fault: 'invalid',
      })
  })
})
