import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from '../../../gateways/passwords/passwords.ts'

const composed = 'caf\u00e9 au lait, s\u2019il vous pla\u00eet'
const decomposed = composed.normalize('NFD')

test('a password matches in each Unicode form of its accents', async () => {
  for (const [set, typed] of [
    [composed, decomposed],
    [decomposed, composed],
  ] as const)
    expect(await verifyPassword(await hashPassword(set), typed)).toBe(true)
})

test('a hash from before normalization matches the original form', async () => {
  const old = await hash(decomposed, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  expect(await verifyPassword(old, decomposed)).toBe(true)
  expect(await verifyPassword(old, `${decomposed}!`)).toBe(false)
})

test('a user without a hash matches no password', async () => {
  expect(await verifyPassword(null, composed)).toBe(false)
  expect(await verifyPassword(undefined, decomposed)).toBe(false)
  expect(await verifyPassword(null, 'a password that nobody has')).toBe(false)
})
