import { expect, test } from 'vitest'
import { aliasLines, readAliases } from './tag-alias-lines.ts'

test('aliases are read as they are shown', () => {
  const aliases = { team: ['Team', 'resourceTags/team'], env: ['stage'] }
  expect(readAliases(aliasLines(aliases))).toEqual(aliases)
  expect(readAliases('\n team =  a ,, b \r\n')).toEqual({ team: ['a', 'b'] })
  expect(readAliases('')).toEqual({})
})

test('a line without another key and a key that is there twice are refused', () => {
  expect(() => readAliases('a = b\nteam')).toThrow(/^Line 2 of the other keys/)
  expect(() => readAliases('team =')).toThrow(/^Line 1/)
  expect(() => readAliases('team = a\nteam = b')).toThrow(/there twice/)
})
