import { describe, expect, test } from 'vitest'
import { withSerial } from './with-serial.ts'

describe('withSerial', () => {
  test('exchanges the serial and leaves large numbers as they are', () => {
    const state = '{"version":4, "serial" : 7,"a":{"serial":1,"n":12345678901234567890.1}}'
    expect(withSerial(state, 8)).toBe(
      '{"version":4, "serial" : 8,"a":{"serial":1,"n":12345678901234567890.1}}',
    )
  })

  test('is not misled by strings that look like the field', () => {
    const state = String.raw`{"x":"\"serial\":1","y":["serial",2],"z":"serial","serial":1}`
    expect(withSerial(state, 2)).toBe(
      String.raw`{"x":"\"serial\":1","y":["serial",2],"z":"serial","serial":2}`,
    )
  })

  test('reads strings of megabytes, and ones that end in backslashes', () => {
    const long = 'x'.repeat(20_000_000)
    const state = JSON.stringify({ long, path: 'C:\\', quote: '"', serial: 3 })
    expect(withSerial(state, 4).endsWith('"serial":4}')).toBe(true)
  })

  test('exchanges the lineage too, of the state alone', () => {
    const state = '{"lineage" : "a\\"b","x":{"lineage":"c"},"serial":7,"y":["lineage"]}'
    expect(withSerial(state, 1, 'new')).toBe(
      '{"lineage" : "new","x":{"lineage":"c"},"serial":1,"y":["lineage"]}',
    )
  })

  test('changes the last of two, which is the one that counts', () => {
    expect(JSON.parse(withSerial('{"serial":1,"serial":3}', 9))).toEqual({ serial: 9 })
  })
})
