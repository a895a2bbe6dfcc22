import { describe, expect, test } from 'vitest'
import { currentProtocol, isTooOld, offerProtocol, readProtocol } from './agent-protocol.ts'

describe('the protocol of agents', () => {
  test('a header is a number, or the first version where there is none', () => {
    expect(readProtocol(undefined)).toBe(1)
    expect(readProtocol('7')).toBe(7)
    for (const wrong of ['', '-1', '1.0', 'x', '1, 1', '99999', ['1', '1']])
      expect(() => readProtocol(wrong)).toThrow('not a number')
  })

  test('older versions are refused, newer ones step down', () => {
    expect(isTooOld(0)).toBe(true)
    expect(isTooOld(currentProtocol)).toBe(false)
    expect(isTooOld(currentProtocol + 5)).toBe(false)
    expect(offerProtocol([0, 1, 2, 3])).toBe(currentProtocol)
    expect(offerProtocol([currentProtocol + 1])).toBe(currentProtocol)
    expect(offerProtocol([0])).toBeUndefined()
    expect(offerProtocol([])).toBeUndefined()
  })
})
