import { expect, test } from 'vitest'
import { firstReferenceDay } from './reference-rates.ts'

const head = 'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE'
const line = (currency: string, day: string, value: string) =>
  `EXR.D.${currency}.EUR.SP00.A,D,${currency},EUR,SP00,A,${day},${value}`
const read = (lines: readonly string[], before = '2026-12-01') =>
  firstReferenceDay([head, ...lines].join('\r\n'), { month: '2026-11', before })

test('the first day with rates counts, in whatever order the series are', () => {
  const found = read([
    line('GBP', '2026-11-03', '0.85'),
    line('GBP', '2026-11-02', '0.8401'),
    line('USD', '2026-11-02', '1.1502'),
    line('USD', '2026-11-03', '1.2'),
  ])
  expect(found).toEqual({
    day: '2026-11-02',
    rates: [
      { currency: 'GBP', rate: '0.8401' },
      { currency: 'USD', rate: '1.1502' },
    ],
  })
})

test('a day without a value, of another month, or that is not over has no rate', () => {
  expect(
    read([
      line('USD', '2026-10-30', '1.1'),
      line('USD', '2026-11-01', ''),
      line('USD', '2026-11-02', 'NaN'),
      line('USD', '2026-11-03', '0.0'),
    ]),
  ).toBe('none')
  expect(read([line('USD', '2026-11-02', '1.1')], '2026-11-02')).toBe('none')
  expect(read([line('USD', '2026-11-02', '1.1')], '2026-11-03')).toMatchObject({
    day: '2026-11-02',
  })
  expect(read([])).toBe('none')
})

test.each([
  ['a page', '<html><body>Sign in</body></html>'],
  ['nothing', ''],
  ['other columns', 'CURRENCY,TIME_PERIOD,OBS_VALUE\nUSD,2026-11-02,1.1'],
  ['rates of another base', `${head}\nEXR.D.USD.GBP.SP00.A,D,USD,GBP,SP00,A,2026-11-02,1.1`],
  ['a quoted cell', `${head}\n"EXR.D.USD,x",D,USD,EUR,SP00,A,2026-11-02`],
  ['a short line', `${head}\nEXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-11-02`],
  ['no day', `${head}\n${line('USD', '2026-11-xx', '1.1')}`],
  ['no currency', `${head}\n${line("US'", '2026-11-02', '1.1')}`],
  ['too many lines', `${head}${'\n'.repeat(5_002)}`],
])('%s is not read', (_, text) => {
  expect(firstReferenceDay(text, { month: '2026-11', before: '2026-12-01' })).toBeUndefined()
})
