import { expect, test } from 'vitest'
import { judgeStateWrite, maxSerial } from './judge-state-write.ts'

const mark = (serial: number, lineage = 'a') => ({ serial, lineage, bodySha256: String(serial) })

test.each([
  [undefined, 0],
  [undefined, maxSerial],
  [5, 6],
  [5, 1_005],
])('a state after %s may have serial %s', (current, next) => {
  expect(judgeStateWrite(current === undefined ? undefined : mark(current), mark(next))).toBe('new')
})

test.each([
  [undefined, 2 ** 53 - 1, 'serial_too_high'],
  [maxSerial, maxSerial + 1, 'serial_too_high'],
  [5, 1_006, 'serial_jump'],
  [5, 2 ** 52, 'serial_jump'],
  [5, 4, 'serial_conflict'],
])('a state after %s may not have serial %s', (current, next, code) => {
  const judge = () => judgeStateWrite(current === undefined ? undefined : mark(current), mark(next))
  expect(judge).toThrow(expect.objectContaining({ code }))
})
