import { describe, expect, test } from 'vitest'
import { Secret } from '../../../config.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { openVariables, placeOfDeployVariables } from '../../../app/deployments/seal-variables.ts'

const key = new Secret(Buffer.alloc(32, 1).toString('base64'))
const keyring = createKeyring([{ id: 'one', key }])
const variables = { PASSWORD: 'the-password' }
const sealed = keyring.seal(placeOfDeployVariables(1, 5), JSON.stringify(variables))

describe('sealed variables of a deployment', () => {
  test('open for their own', () => {
    expect(openVariables(keyring, { organizationId: 1, runId: 5 }, sealed)).toEqual(variables)
  })

  test.each([
    { organizationId: 1, runId: 6 },
    { organizationId: 2, runId: 5 },
  ])('do not open in the row of another: %o', (place) => {
    expect(() => openVariables(keyring, place, sealed)).toThrow()
  })

  test('open as they were sealed before they had a place of their own', () => {
    const place = { organizationId: 1, table: 'deployments', column: 'variables' }
    const before = keyring.seal(place, JSON.stringify(variables))
    expect(openVariables(keyring, { organizationId: 1, runId: 5 }, before)).toEqual(variables)
  })

  test('say which key is missing', () => {
    const other = createKeyring([{ id: 'two', key }])
    const open = () => openVariables(other, { organizationId: 1, runId: 5 }, sealed)
    expect(open).toThrow(/The key one/)
  })
})
