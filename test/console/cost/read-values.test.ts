import { expect, test } from 'vitest'
import { readValues } from '../../../console/src/cost/read-values.ts'

const march1 = { day: '2026-03-01', value: 1_200 }

test.each([
  ['2026-03-01,1200', [march1]],
  ['2026-03-01;1200\r\n', [march1]],
  ['2026-03-01\t1200\t\n\n', [march1]],
  ['"2026-03-01","1200"', [march1]],
  ['\ufeffday,value\n 2026-03-01 , 1200.0 \n', [march1]],
  ['\ufeff2026-03-01,+1200', [march1]],
  ['day,value\n2026-03-02,0\n2026-03-01,1200', [{ day: '2026-03-02', value: 0 }, march1]],
  ['2024-02-29,.5', [{ day: '2024-02-29', value: 0.5 }]],
  ['', []],
  ['\n ,\n', []],
])('%j is read', (text, values) => {
  expect(readValues(text)).toEqual({ values, faults: [] })
})

test.each([
  ['2026-02-30,1', '“2026-02-30” is no day. Write it as 2026-03-31.'],
  ['03/01/2026,1', '“03/01/2026” is no day. Write it as 2026-03-31.'],
  ['1200', '“1200” is no day. Write it as 2026-03-31.'],
  ['2026-03-01', 'The value is missing. Write the day, a comma and the value.'],
  ['2026-03-01,', 'The value is missing. Write the day, a comma and the value.'],
  ['2026-03-01,-5', '“-5” is no number of 0 or more. Write it as 1200.5.'],
  ['2026-03-01,1e3', '“1e3” is no number of 0 or more. Write it as 1200.5.'],
  ['2026-03-01,NaN', '“NaN” is no number of 0 or more. Write it as 1200.5.'],
  ['2026-03-01,0x10', '“0x10” is no number of 0 or more. Write it as 1200.5.'],
  ['2026-03-01,1,200', 'There are more than two columns. Write 1200.5, not 1,200.5 or 1200,5.'],
  ['2026-03-01,1000000000000001', 'The value is above 1,000,000,000,000,000.'],
  ['2026-03-01,0.0000000000001', 'The value is 0, or at least 0.000000000001.'],
  [
    `2026-03-01,${'x'.repeat(99)}`,
    `“${'x'.repeat(40)}…” is no number of 0 or more. Write it as 1200.5.`,
  ],
])('%j is refused by its line', (text, message) => {
  expect(readValues(`2026-01-01,1\n\n${text}\n2026-01-02,1`)).toEqual({
    values: [
      { day: '2026-01-01', value: 1 },
      { day: '2026-01-02', value: 1 },
    ],
    faults: [{ line: 3, message }],
  })
})

test('titles are the first line alone, and a day that comes twice names both lines', () => {
  expect(readValues('2026-03-01,1\nday,value\n2026-03-01,2').faults).toEqual([
    { line: 2, message: '“day” is no day. Write it as 2026-03-31.' },
    { line: 3, message: '2026-03-01 is in line 1 already.' },
  ])
})

test('10,000 days are read, and no more', () => {
  const lines = Array.from({ length: 10_001 }, (_, n) => {
    const day = new Date(Date.UTC(1990, 0, 1 + n)).toISOString().slice(0, 10)
    return `${day},${n}`
  })
  expect(readValues(lines.slice(1).join('\n')).faults).toEqual([])
  expect(readValues(lines.join('\n')).faults).toEqual([
    { line: 10_001, message: 'There are more than 10,000 days. Save the others afterwards.' },
  ])
})
