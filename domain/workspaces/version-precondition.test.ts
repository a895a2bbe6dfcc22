import { describe, expect, test } from 'vitest'
import { entityTagOf, meetsPrecondition } from './version-precondition.ts'

describe('the precondition of a save', () => {
  test('a tag is the number in quotes', () => {
    expect(entityTagOf(12)).toBe('"12"')
  })

  test.each([
    ['no condition, no version', undefined, {}, true],
    ['no condition', 3, {}, true],
    ['the newest', 3, { ifMatch: '"3"' }, true],
    ['one of a list', 3, { ifMatch: '"2" , "3"' }, true],
    ['an older one', 3, { ifMatch: '"2"' }, false],
    ['the beginning of the number', 31, { ifMatch: '"3"' }, false],
    ['without quotes', 3, { ifMatch: '3' }, false],
    ['a weak tag', 3, { ifMatch: 'W/"3"' }, false],
    ['any', 3, { ifMatch: '*' }, true],
    ['any, and there is none', undefined, { ifMatch: '*' }, false],
    ['one, and there is none', undefined, { ifMatch: '"1"' }, false],
    ['an empty header', 3, { ifMatch: '' }, false],
    ['none, and there is none', undefined, { ifNoneMatch: '*' }, true],
    ['none, and there is one', 1, { ifNoneMatch: '*' }, false],
    ['not this one', 3, { ifNoneMatch: '"2"' }, true],
    ['not this one, and it is', 3, { ifNoneMatch: '"3"' }, false],
    ['both', 3, { ifMatch: '"3"', ifNoneMatch: '*' }, false],
  ])('%s', (...[, newest, condition, may]) => {
    expect(meetsPrecondition(newest, condition)).toBe(may)
  })
})
