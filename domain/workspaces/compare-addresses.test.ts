import { expect, test } from 'vitest'
import { compareAddresses } from './split-state.ts'

test('addresses are in the order that people count in', () => {
  const sorted = [
    'aws_instance.web["a"]',
    'aws_instance.web["b"]',
    'module.eu.terraform_data.r[2]',
    'module.eu.terraform_data.r[10]',
    'terraform_data.r2',
    'terraform_data.r10',
    'terraform_data.r10000',
  ]
  expect(sorted.toReversed().toSorted(compareAddresses)).toEqual(sorted)
})

test('two that only look alike have an order, and it is one', () => {
  const alike = ['terraform_data.r01', 'terraform_data.r1', 'r["\u00e9"]', 'r["e\u0301"]']
  for (const a of alike)
    for (const b of alike) {
      expect(Math.sign(compareAddresses(a, b))).toBe(-Math.sign(compareAddresses(b, a)) || 0)
      if (a !== b) expect(compareAddresses(a, b)).not.toBe(0)
    }
})
