import { expect, test } from 'vitest'
import { stateMarks } from './state-marks.ts'

const marks = (text: string) => stateMarks(Buffer.from(text))

test.each([
  ['{"version":4,"serial":7,"lineage":"one","outputs":{}}', 7, 'one'],
  ['{ "lineage" : "a\\"b\\u00e9" ,\n "serial" : 12 }', 12, 'a"bé'],
  // Cut off, as by a folder that was full.
  ['{"version":4,"serial":7,"lineage":"one","outputs":{"x":{"va', 7, 'one'],
  ['{"version":4,"serial":7,"lineage":"on', 7, 'unknown'],
  ['{"version":4,"serial":7', 0, 'unknown'],
  // Names of anything else, and values that look like a name.
  ['{"outputs":{"serial":9,"lineage":"x"},"a":"serial","b":["lineage"],"serial":3}', 3, 'unknown'],
  ['{"a":"\\\\","serial":3,"lineage":"one"}', 3, 'one'],
  ['{"serial":"7","lineage":5}', 0, 'unknown'],
  ['{"serial":-1,"lineage":null}', 0, 'unknown'],
  ['{"serial":9007199254740993,"lineage":""}', 0, ''],
  ['not json', 0, 'unknown'],
  ['', 0, 'unknown'],
])('%j', (text, serial, lineage) => {
  expect(marks(text)).toEqual({ serial, lineage })
})

test('a lineage that is too long is cut, and bytes that are no UTF-8 harm nobody', () => {
  expect(marks(`{"lineage":"${'x'.repeat(1_000)}"}`).lineage).toBe(`${'x'.repeat(200)}…`)
  expect(stateMarks(Buffer.from([0x7b, 0xff, 0x22, 0xff]))).toEqual({
    serial: 0,
    lineage: 'unknown',
  })
})

test('128 MiB are walked once, at any depth and whatever is escaped', () => {
  const megabyte = 1_048_576
  const since = performance.now()
  const deep = Buffer.alloc(64 * megabyte, '[')
  const slashes = Buffer.alloc(64 * megabyte, '\\')
  expect(stateMarks(Buffer.concat([Buffer.from('{"x":'), deep]))).toMatchObject({ serial: 0 })
  expect(stateMarks(Buffer.concat([Buffer.from('{"'), slashes]))).toMatchObject({ serial: 0 })
  expect(stateMarks(Buffer.alloc(64 * megabyte, '\\"'))).toMatchObject({ serial: 0 })
  // Quadratic, it would be hours.
  expect(performance.now() - since).toBeLessThan(30_000)
})
