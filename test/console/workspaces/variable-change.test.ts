import { describe, expect, test } from 'vitest'
import {
  seenAfter,
  variableChange,
  whyOvertaken,
} from '../../../console/src/workspaces/variable-change.ts'

const listed = {
  value: 'one' as string | null,
  sensitive: false,
  phase: 'both',
  description: 'of the shop',
  updatedAt: '2026-11-01T00:00:00.000Z',
}
const secret = { ...listed, value: null, sensitive: true }
const later = '2026-11-02T00:00:00.000Z'
const shown = { value: 'one', sensitive: false, phase: 'both', description: 'of the shop' }

describe('what a form changes of a variable', () => {
  test.each([
    ['nothing', {}, listed, {}],
    ['its description alone', { description: 'new' }, listed, { description: 'new' }],
    ['its value', { value: 'two' }, listed, { value: 'two' }],
    ['to an empty value', { value: '' }, listed, { value: '' }],
    ['to a sensitive one, whose value stays', { sensitive: true }, listed, { sensitive: true }],
    ['nothing of a secret', { value: '', sensitive: true }, secret, {}],
    ['a secret', { value: 'x', sensitive: true }, secret, { value: 'x' }],
    [
      'a secret to none, with a new value',
      { value: 'x', sensitive: false },
      secret,
      { value: 'x', sensitive: false },
    ],
    // The service refuses it: a value is required.
    ['a secret to none, without a value', { value: '' }, secret, { sensitive: false }],
    [
      'nothing, where a text field has other line ends',
      { value: 'a\nb\nc' },
      { ...listed, value: 'a\r\nb\rc' },
      {},
    ],
  ])('%s', (...[, typed, opened, change]) => {
    expect(variableChange({ ...shown, ...typed }, opened)).toEqual(change)
  })

  test('of a variable without a description', () => {
    const { description: _, ...opened } = listed
    const typed = { value: 'one', sensitive: false, phase: 'deploy' }
    expect(variableChange(typed, opened)).toEqual({ phase: 'deploy' })
  })
})

describe('a change that another person overtook', () => {
  const why = (change: object, stored: Partial<typeof listed>, seen = listed) =>
    whyOvertaken(change, { seen, stored: { ...seen, updatedAt: later, ...stored } })

  test('is one of the same field', () => {
    expect(why({ value: 'two' }, { value: 'three' })).toMatch(
      /^Another person changed .*: its value is “three” now\. Nothing was saved\./,
    )
    expect(why({ description: '' }, { description: 'theirs' })).toContain('its description is “th')
    expect(why({ phase: 'plan' }, { phase: 'apply' })).toContain('other steps')
    expect(why({ value: 'two' }, { value: '' })).toContain('its value is empty now')
  })

  test('is none of another field, and none of the same value', () => {
    expect(why({ description: 'mine' }, { value: 'three' })).toBeUndefined()
    expect(why({ value: 'three' }, { value: 'three' })).toBeUndefined()
    expect(why({ sensitive: true }, { description: 'theirs' })).toBeUndefined()
  })

  test('may be any of a value that is not shown', () => {
    expect(why({ value: 'two' }, {}, secret)).toContain('which is not shown')
    expect(why({ value: 'two' }, { updatedAt: listed.updatedAt }, secret)).toBeUndefined()
    expect(why({ value: 'two' }, { value: null, sensitive: true })).toContain('which is not shown')
    expect(why({ value: 'two' }, { value: 'shown', sensitive: false }, secret)).toContain('“shown”')
    expect(why({ description: 'mine' }, {}, secret)).toBeUndefined()
  })

  test('shows the characters that a person would not see', () => {
    expect(why({ value: 'two' }, { value: 'a\u202Eb' })).toContain('a\\u{202e}b')
  })
})

describe('the save after one that was overtaken', () => {
  /** What the second save sends, after the first was refused with what is stored. */
  const second = (
    { first, next }: Record<'first' | 'next', Partial<typeof shown>>,
    stored: Partial<typeof listed>,
    opened = listed,
  ) => {
    const before = opened.sensitive ? { ...shown, value: '', sensitive: true } : shown
    const theirs = { ...opened, updatedAt: later, ...stored }
    const refused = variableChange({ ...before, ...first }, opened)
    expect(whyOvertaken(refused, { seen: opened, stored: theirs })).toBeDefined()
    const seen = seenAfter(refused, { seen: opened, stored: theirs })
    const change = variableChange({ ...before, ...next }, seen)
    return [change, whyOvertaken(change, { seen, stored: theirs })]
  }

  test('sends what the person typed, also the value that the dialog opened with', () => {
    const theirs = { value: 'three' }
    const first = { value: 'two' }
    expect(second({ first, next: first }, theirs)).toEqual([first, undefined])
    expect(second({ first, next: { value: 'one' } }, theirs)).toEqual([{ value: 'one' }, undefined])
    expect(second({ first, next: { value: 'three' } }, theirs)).toEqual([{}, undefined])
    expect(second({ first: { phase: 'plan' }, next: {} }, { phase: 'apply' })).toEqual([
      { phase: 'both' },
      undefined,
    ])
  })

  test('keeps what another person changed of the other fields, and says it before it is replaced', () => {
    const theirs = { value: 'three', description: 'theirs' }
    const first = { value: 'two' }
    expect(second({ first, next: first }, theirs)).toEqual([first, undefined])
    const [change, why] = second({ first, next: { value: 'two', description: 'mine' } }, theirs)
    expect(change).toEqual({ value: 'two', description: 'mine' })
    expect(why).toContain('its description is “theirs” now')
  })

  test('of a secret: an empty field keeps it, also if it is none by now', () => {
    const first = { value: 'two' }
    expect(second({ first, next: first }, {}, secret)).toEqual([first, undefined])
    expect(second({ first, next: {} }, {}, secret)).toEqual([{}, undefined])
    const shownNow = { value: 'shown', sensitive: false }
    expect(second({ first, next: {} }, shownNow, secret)).toEqual([{}, undefined])
  })

  test('of what became a secret: any value replaces it, also an empty one', () => {
    const became = { value: null, sensitive: true }
    const first = { value: 'two' }
    expect(second({ first, next: {} }, became)).toEqual([{ value: 'one' }, undefined])
    expect(second({ first, next: { value: '' } }, became)).toEqual([{ value: '' }, undefined])
  })
})
