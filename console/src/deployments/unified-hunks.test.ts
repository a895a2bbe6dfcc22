import { expect, test } from 'vitest'
import { changeOfText } from '../../../domain/pipelines/release-changes.ts'
import { unifiedHunks } from './unified-hunks.ts'

test('hunks of a diff that the service makes: lines of the newer file, without names', () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)
  const before = `${lines.join('\n')}\n`
  const after = before.replace('line 5\n', 'line five\n-- a comment\n').replace('line 25\n', '')
  const hunks = unifiedHunks(changeOfText('bin/activate', before, after).diff ?? '')
  expect(hunks.map(({ line }) => line)).toEqual([2, 23])
  expect(hunks[0]?.lines.slice(3, 6)).toEqual([
    { kind: 'removed', text: 'line 5' },
    { kind: 'added', text: 'line five' },
    { kind: 'added', text: '-- a comment' },
  ])
  expect(hunks[1]?.lines.filter(({ kind }) => kind !== 'same')).toEqual([
    { kind: 'removed', text: 'line 25' },
  ])
})

test('a new file, one without a line end, and no diff', () => {
  expect(unifiedHunks(changeOfText('run', null, 'echo').diff ?? '')).toEqual([
    { line: 1, lines: [{ kind: 'added', text: 'echo' }] },
  ])
  expect(unifiedHunks('')).toEqual([])
})
