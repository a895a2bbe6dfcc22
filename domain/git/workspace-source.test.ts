import { expect, test } from 'vitest'
import { checkInclude, foldersOf, isWithin } from './workspace-source.ts'

test('folders within others are read once', () => {
  expect(foldersOf({}, '')).toEqual([''])
  expect(foldersOf({}, 'live/a')).toEqual(['live/a'])
  expect(foldersOf({ include: ['modules'] }, '')).toEqual([''])
  expect(foldersOf({ include: ['modules', 'live', 'modules/vpc'] }, 'live/a')).toEqual([
    'live',
    'modules',
  ])
})

test('a name that only begins alike is no folder around it', () => {
  expect(foldersOf({ include: ['live'] }, 'live-2')).toEqual(['live', 'live-2'])
  expect(isWithin('live-2/main.tf', 'live')).toBe(false)
  expect(isWithin('live/main.tf', 'live')).toBe(true)
  expect(isWithin('main.tf', '')).toBe(true)
})

test.each(['..', '/etc', 'a//b', '', 'a/../..'])('%j is refused as a folder', (folder) => {
  expect(() => checkInclude([folder])).toThrow(/source\.include/)
})
