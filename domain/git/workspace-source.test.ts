import { expect, test } from 'vitest'
import { checkInclude, foldersAround, foldersOf, isWithin } from './workspace-source.ts'

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

test('the folders around a path are those that it is within', () => {
  const around = (path: string, longest = 255) => [...foldersAround(path, longest)]
  expect(around('live/a/main.tf')).toEqual(['', 'live', 'live/a'])
  expect(around('main.tf')).toEqual([''])
  expect(around('')).toEqual([''])
  expect(around('/x//y/')).toEqual(['', '/x', '/x/', '/x//y'])
  expect(around('live/a/main.tf', 5)).toEqual(['', 'live'])
  expect(around('live/a/main.tf', 6)).toEqual(['', 'live', 'live/a'])
  for (const path of ['live/a/main.tf', '/x//y/', '//', 'A/b', 'a'])
    for (const folder of ['', '/', '//', '/x', '/x/', 'live', 'live/', 'Live', 'A', 'a', path])
      expect(around(path).includes(folder), `${path} in ${folder}`).toBe(isWithin(path, folder))
})

test('of a path with a million slashes no more folders are made than have a name of the length', () => {
  expect([...foldersAround('/'.repeat(1_000_000), 255)]).toHaveLength(256)
})

test.each(['..', '/etc', 'a//b', '', 'a/../..'])('%j is refused as a folder', (folder) => {
  expect(() => checkInclude([folder])).toThrow(/source\.include/)
})
