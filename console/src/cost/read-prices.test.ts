import { expect, test } from 'vitest'
import { matchLines, readMatch } from './match-lines.ts'
import { mostPrices, readPrices } from './read-prices.ts'

const head = 'provider,type,price,currency'

test('each line is a price, and a column that is no field is a condition', () => {
  const text = `${head},valid from,instance_type,size\naws,aws_instance,30.37,EUR,2026-01-01,t3.micro,\naws,aws_db,9,EUR,,,3\n`
  expect(readPrices(text)).toEqual({
    prices: [
      {
        line: 2,
        price: {
          provider: 'aws',
          resourceType: 'aws_instance',
          monthlyPrice: 30.37,
          currency: 'EUR',
          validFrom: '2026-01-01',
          match: { instance_type: 't3.micro' },
        },
      },
      {
        line: 3,
        price: {
          provider: 'aws',
          resourceType: 'aws_db',
          monthlyPrice: 9,
          currency: 'EUR',
          match: { size: 3 },
        },
      },
    ],
    faults: [],
  })
})

test('a spreadsheet’s file: a mark at the start, semicolons, quotes, other line ends', () => {
  const text = `\ufeffProvider;Resource type;Monthly price;Currency;source\r\n"aws";aws_instance;1;EUR;"list; of ""May"""\r\n\r\n`
  const { prices, faults } = readPrices(text)
  expect(faults).toEqual([])
  expect(prices).toMatchObject([{ line: 2, price: { source: 'list; of "May"' } }])
})

test.each([
  ['', 1, /empty/],
  ['provider,type\naws,x', 1, /no column price, currency/],
  [`${head}\naws,x,1.200,50,EUR`, 2, /more cells than titles/],
  [`${head}\naws,x,"1,200.50",EUR`, 2, /“1,200.50” is no price/],
  [`${head}\naws,x,-1,EUR`, 2, /is no price/],
  [`${head}\naws,x,1,euro`, 2, /currency/],
  [`${head}\n,x,1,EUR`, 2, /provider or the type is missing/],
  [`${head},valid from\naws,x,1,EUR,31.3.2026`, 2, /is no day/],
  [`${head}\n"aws\n",x,1,EUR\naws,y,z,EUR`, 4, /is no price/],
])('a wrong file is refused with its line: %j', (text, line, message) => {
  const { faults } = readPrices(text)
  expect(faults).toHaveLength(1)
  expect(faults[0]).toEqual({ line, message: expect.stringMatching(message) })
})

test('too many prices are refused', () => {
  const rows = Array.from({ length: mostPrices + 1 }, (_, n) => `aws,t${n},1,EUR`)
  expect(readPrices([head, ...rows].join('\n')).faults).toMatchObject([{ line: mostPrices + 2 }])
})

test('conditions are read as they are shown', () => {
  const match = {
    instance_type: 't3.micro',
    size: 3,
    ha: true,
    version: '3',
    flag: 'true',
    id: '007',
  }
  expect(readMatch(matchLines(match))).toEqual(match)
  expect(readMatch(' a = b = c \n\n')).toEqual({ a: 'b = c' })
  expect(() => readMatch('nothing')).toThrow(/Line 1 of the conditions/)
  expect(() => readMatch('a = 1\na = 2')).toThrow(/there twice/)
})
