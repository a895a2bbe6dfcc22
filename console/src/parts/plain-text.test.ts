import { expect, test } from 'vitest'
import { plainLine, plainText } from './plain-text.ts'

test.each([
  ['turns the order', '\u202e', '\\u{202e}'],
  ['has no width', '\u200b', '\\u{200b}'],
  ['joins', '\u200d', '\\u{200d}'],
  ['is a filler that looks like nothing', '\u3164', '\\u{3164}'],
  ['chooses a form', '\ufe0f', '\\u{fe0f}'],
  ['is a tag outside of the first plane', '\u{e0041}', '\\u{e0041}'],
  ['is an empty cell of Braille', '\u2800', '\\u{2800}'],
])('a character that %s is shown as its number', (_what, hidden, shown) => {
  expect(plainText(`a${hidden}b`)).toBe(`a${shown}b`)
})

test('letters of all scripts, lines and tabs stay', () => {
  const text = 'a\tb\nשלום 日本 ü'
  expect(plainText(text)).toBe(text)
})

test('a line of a list is the first one, short, and shows what is hidden', () => {
  expect(plainLine('one\ntwo')).toBe('one')
  expect(plainLine(`${'x'.repeat(119)}🚀🚀`)).toBe(`${'x'.repeat(119)}🚀…`)
  expect(plainLine('safe \u202eelif\u200b')).toBe('safe \\u{202e}elif\\u{200b}')
})

test('a line of a list has emojis', () => {
  for (const text of ['⚡\ufe0f Faster', '🏗\ufe0f', 'by 👩\u200d💻', '⭐ twice ⭐'])
    expect(plainLine(text)).toBe(text)
  expect(plainLine('👩\u200d, a\ufe0f')).toBe('👩\\u{200d}, a\\u{fe0f}')
})
