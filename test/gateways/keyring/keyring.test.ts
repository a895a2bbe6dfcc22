import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { Secret } from '../../../config/secret.ts'

const place = { organizationId: 1, table: 'workspaces', column: 'files' }

test.each([0, 1, 1_048_575, 1_048_576, 1_048_577, 3_000_000])(
  'a value of %i bytes opens unchanged, and not after a byte of it was changed',
  (length) => {
    const keyring = createKeyring([
      { id: 'one', key: new Secret(randomBytes(32).toString('base64')) },
    ])
    const plain = randomBytes(length)
    const sealed = keyring.seal(place, plain)
    expect(keyring.open(place, sealed).equals(plain)).toBe(true)
    const last = sealed.length - 1
    sealed.writeUInt8(sealed.readUInt8(last) ^ 1, last)
    expect(() => keyring.open(place, sealed)).toThrow('unable to authenticate')
  },
)
