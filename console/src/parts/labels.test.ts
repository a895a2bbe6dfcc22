import { expect, test } from 'vitest'
import { fitting, isLabel, labelsIn, linesOf, readLabels, withLine } from './labels.ts'

test('what is shown is read back as it was', () => {
  const labels = { team: 'payments', 'example.com/tier': '1', note: 'a=b', empty: '' }
  expect(readLabels(linesOf(labels))).toEqual({ labels })
  expect(readLabels(' team=payments \n\n  note=a=b\n')).toEqual({
    labels: { team: 'payments', note: 'a=b' },
  })
  expect(readLabels('')).toEqual({ labels: {} })
})

test.each([
  ['team', 'Line 1: write a name'],
  ['ok=1\nTeam=x', 'Line 2: a name has'],
  ['=x', 'Line 1: a name has'],
  [`${'a'.repeat(64)}=x`, 'Line 1: a name has'],
  [`team=${'x'.repeat(101)}`, 'Line 1: a value has'],
  ['team=1\nteam=2', 'Line 2: there is a label team already'],
  [Array.from({ length: 21 }, (_, n) => `k${n}=v`).join('\n'), 'At most 20'],
])('%j is refused, and says where', (text, words) => {
  expect(readLabels(text)).toMatchObject({ fault: expect.stringContaining(words) })
})

test('an address with nonsense has no labels', () => {
  expect(labelsIn(['team=a', 'team=a', 'Team=x', 7, 'none', 'tier=1'])).toEqual([
    'team=a',
    'tier=1',
  ])
  expect(labelsIn('team=a')).toEqual(['team=a'])
  expect(labelsIn(undefined)).toEqual([])
  expect(isLabel('__proto__=x')).toBe(false)
})

test('labels in use are offered for the line that is written, once a key', () => {
  const used = ['team=payments', 'team=data', 'tier=1', 'Tier=x']
  expect(fitting('', used)).toEqual(used)
  expect(fitting('team=data\n', used)).toEqual(['tier=1', 'Tier=x'])
  expect(fitting('tier=1\n  PAY', used)).toEqual(['team=payments'])
  expect(fitting('team=payments', used)).toEqual([])
})

test('a chosen label takes the place of what was begun, and of nothing else', () => {
  expect(withLine('', 'team=data')).toBe('team=data\n')
  expect(withLine('tier=1\n', 'team=data')).toBe('tier=1\nteam=data\n')
  expect(withLine('tier=1\ndat', 'team=data')).toBe('tier=1\nteam=data\n')
  expect(withLine('tier=1', 'team=data')).toBe('tier=1\nteam=data\n')
})
