import { describe, expect, test } from 'vitest'
import { workspaceChange } from './workspace-change.ts'

const was = {
  name: 'shop',
  path: '',
  description: '',
  labels: {},
  criticality: 'standard',
  confirm: 'destroys',
  costLimitMonthly: null,
  unpriced: 'deny',
  autoApply: false,
  cloudAccountId: null,
} as const

const shown = {
  name: 'shop',
  path: '',
  description: '',
  labels: '',
  criticality: 'standard',
  confirm: 'destroys',
  costLimitMonthly: '',
  unpriced: 'deny',
  cloudAccountId: '',
}

function form(fields: Record<string, string>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.set(name, value)
  return made
}

describe('what the settings change of a workspace', () => {
  test.each([
    ['nothing', {}, {}],
    ['its account', { cloudAccountId: '7' }, { cloudAccountId: 7 }],
    ['its limit', { costLimitMonthly: '20' }, { costLimitMonthly: 20 }],
    ['its name', { name: 'web-shop' }, { name: 'web-shop' }],
  ])('%s', (_, typed, sent) => {
    expect(workspaceChange(form({ ...shown, ...typed }), was, true)).toEqual(sent)
  })

  test('that it has no account any more', () => {
    expect(workspaceChange(form(shown), { ...was, cloudAccountId: 7 }, true)).toEqual({
      cloudAccountId: null,
    })
  })

  test('no field that is disabled, and so is not in the form', () => {
    const { name: _, cloudAccountId: __, costLimitMonthly: ___, unpriced: ____, ...others } = shown
    const guarded = { ...was, cloudAccountId: 7, costLimitMonthly: 20, autoApply: true }
    const typed = form({ ...others, path: 'net' })
    expect(workspaceChange(typed, guarded, false)).toEqual({ path: 'net' })
  })
})
