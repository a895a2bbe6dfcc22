import { describe, expect, test } from 'vitest'
import { faultOfShape, partsOfShape } from './json-shape.ts'

function inParts(text: string, maxMembers = 100) {
  const work = partsOfShape(text, maxMembers)
  for (let parts = 1; ; parts += 1) {
    const { done, value } = work.next()
    if (done) return { fault: value, parts }
  }
}

describe('the shape of a long text is looked at in parts', () => {
  const million = 1_000_000
  test.each([
    ['spaces', `[${' '.repeat(million)}1]`],
    ['digits', `[${'1'.repeat(million)}]`],
    ['escaped quotes in one string', `["${'\\"'.repeat(million)}"]`],
  ])('%s', (_, text) => {
    const { fault, parts } = inParts(text)
    expect(fault).toBeUndefined()
    expect(parts).toBeGreaterThanOrEqual(4)
  })

  test('many values', () => {
    const { fault, parts } = inParts(`[${'1,'.repeat(million)}1]`, 2 * million)
    expect(fault).toBeUndefined()
    expect(parts).toBeGreaterThanOrEqual(8)
  })

  test('and a fault behind the first part is found', () => {
    const before = ' '.repeat(million)
    for (const text of [
      `${before}{"a":1,"a":2}`,
      `["${'\\"'.repeat(million)}",{"__proto__":1}]`,
      `${before}${'['.repeat(40)}`,
    ]) {
      const { fault } = inParts(text)
      expect(fault).toBeDefined()
      expect(fault).toBe(faultOfShape(text, 100))
    }
    expect(inParts(`[${'1,'.repeat(101)}1]`).fault).toBe('has more than 100 fields and items')
  })

  test('a short text is one part', () => {
    expect(inParts('{"a":[1,2,{"b":"\\"x"}]}')).toEqual({ fault: undefined, parts: 1 })
  })
})
