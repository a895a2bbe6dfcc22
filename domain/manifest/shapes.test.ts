import { expect, test } from 'vitest'
import { upTo } from './shapes.ts'

test.each([1, 9, 10, 19, 24, 60, 99, 100, 101, 1_440, 3_600])(
  'a pattern of the whole numbers to %d takes these and no others',
  (most) => {
    const pattern = new RegExp(`^${upTo(most)}$`)
    const taken = Array.from({ length: 20_000 }, (_, n) => n).filter((n) => pattern.test(`${n}`))
    expect(taken).toEqual(Array.from({ length: most }, (_, n) => n + 1))
    for (const text of ['01', '-1', '', '1.0', ' 1', '1\n']) expect(pattern.test(text)).toBe(false)
  },
)
