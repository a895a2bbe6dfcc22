import { expect, test } from 'vitest'
import { variablesDigest, type DigestedVariable, type PlanValues } from './variables-digest.ts'

const one: DigestedVariable = { key: 'a', kind: 'env', phase: 'both', valueMac: Buffer.from('1') }
const other: DigestedVariable = { ...one, key: 'b' }
const values: PlanValues = { variables: [one, other], overridesMac: null, folder: '' }

test('depends on all that a plan gets beside its files, in any order', () => {
  const digest = variablesDigest(values)
  expect(variablesDigest({ ...values, variables: [other, one] })).toBe(digest)
  const others: PlanValues[] = [
    { ...values, variables: [one] },
    { ...values, variables: [one, { ...other, valueMac: Buffer.from('2') }] },
    { ...values, variables: [one, { ...other, kind: 'terraform' }] },
    { ...values, variables: [one, { ...other, phase: 'apply' }] },
    { ...values, overridesMac: Buffer.from('1') },
    { ...values, folder: 'a' },
  ]
  expect(new Set([digest, ...others.map(variablesDigest)]).size).toBe(6)
})

test('a variable of applies alone is not given to a plan', () => {
  const added: DigestedVariable = { ...one, key: 'c', phase: 'apply' }
  expect(variablesDigest({ ...values, variables: [one, other, added] })).toBe(
    variablesDigest(values),
  )
})
