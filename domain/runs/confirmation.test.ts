import { describe, expect, test } from 'vitest'
import { approvalRuleOf } from './approval-reason.ts'
import { isWeakerConfirm, needsConfirmation } from './confirmation.ts'

const plan = { confirm: false, destroy: false, summary: { add: 3, change: 2, destroy: 0 } }

describe('needsConfirmation', () => {
  test.each([
    ['none', plan, false],
    ['none', { ...plan, confirm: true }, true],
    ['none', { ...plan, destroy: true, summary: { destroy: 4 } }, false],
    ['destroys', plan, false],
    ['destroys', { ...plan, summary: { add: 1, destroy: 1 } }, true],
    ['destroys', { ...plan, destroy: true }, true],
    // Without a count nothing is known of it.
    ['destroys', { ...plan, summary: null }, true],
    ['destroys', { ...plan, summary: {} }, true],
    ['destroys', { ...plan, summary: { destroy: '0' } }, true],
    ['none', { ...plan, summary: null }, false],
    ['always', plan, true],
  ] as const)('%s: %j', (mode, asked, expected) => {
    expect(needsConfirmation(mode, asked)).toBe(expected)
  })
})

test('isWeakerConfirm: only a step towards none', () => {
  expect(isWeakerConfirm('always', 'destroys')).toBe(true)
  expect(isWeakerConfirm('destroys', 'none')).toBe(true)
  expect(isWeakerConfirm('always', 'always')).toBe(false)
  expect(isWeakerConfirm('none', 'destroys')).toBe(false)
})

test('approvalRuleOf: a second person, where anything but a confirmation is needed', () => {
  expect(approvalRuleOf([])).toBeUndefined()
  expect(approvalRuleOf(['confirm'])).toBe('confirm')
  expect(approvalRuleOf(['confirm', 'budget'])).toBe('second_operator')
  expect(approvalRuleOf(['production'])).toBe('second_operator')
})
