import { expect, test } from 'vitest'
import { roles } from '../access/roles.ts'
import { mayVouchFor, powerOfEditor, type Editor } from './power-of-editor.ts'

const editor = (of: Partial<Editor> = {}): Editor => ({
  savedRole: 'Owner',
  savedPlatformAdmin: false,
  nowRole: 'Owner',
  nowPlatformAdmin: false,
  nowActive: true,
  ...of,
})
const plain = (role: (typeof roles)[number]) => ({ role, platformAdmin: false })

test('the lower of the role at the time of saving and the role now', () => {
  expect(powerOfEditor(editor())).toEqual(plain('Owner'))
  expect(powerOfEditor(editor({ savedRole: 'Org Admin' }))).toEqual(plain('Org Admin'))
  expect(powerOfEditor(editor({ nowRole: 'Org Admin' }))).toEqual(plain('Org Admin'))
  expect(powerOfEditor(editor({ savedRole: 'Org Admin', nowRole: 'Viewer' }))).toEqual(
    plain('Viewer'),
  )
})

test('a deactivated or unknown editor is an Org Admin at most', () => {
  const gone = { nowActive: false }
  expect(powerOfEditor(editor(gone))).toEqual(plain('Org Admin'))
  expect(powerOfEditor(editor({ ...gone, nowRole: 'Deployer' }))).toEqual(plain('Deployer'))
  expect(
    powerOfEditor(editor({ ...gone, savedPlatformAdmin: true, nowPlatformAdmin: true })),
  ).toEqual(plain('Org Admin'))
  const unknown = { nowRole: null, nowActive: null, nowPlatformAdmin: null }
  expect(powerOfEditor(editor(unknown))).toEqual(plain('Org Admin'))
})

test('a platform administrator counts as one if they were one at the time of saving too', () => {
  const now = { nowPlatformAdmin: true, nowRole: 'Viewer' } as const
  expect(powerOfEditor(editor({ ...now, savedPlatformAdmin: true })).platformAdmin).toBe(true)
  expect(powerOfEditor(editor(now))).toEqual(plain('Owner'))
  expect(powerOfEditor(editor({ savedPlatformAdmin: true })).platformAdmin).toBe(false)
})

test('nobody above the editor is vouched for, and no platform administrator but by one', () => {
  for (const [at, role] of roles.entries())
    for (const [other, person] of roles.entries())
      expect(mayVouchFor(plain(role), plain(person))).toBe(other <= at)
  const administrator = { role: 'Viewer', platformAdmin: true } as const
  expect(mayVouchFor(plain('Owner'), administrator)).toBe(false)
  expect(mayVouchFor(administrator, { role: 'Owner', platformAdmin: true })).toBe(true)
})
