import { describe, expect, test } from 'vitest'
import { runMarks } from '../../../console/src/workspaces/run-marks.ts'

const said = (file: string | null, line: number | null) =>
  ({ severity: 'error', summary: 'Unsupported argument', detail: 'Not here.', file, line }) as const

describe('the marks of a run', () => {
  const used = { 'main.tf': 'a\nb\nc', 'net/x.tf': 'x' }

  test('are at their file and line, with both sentences', () => {
    expect([...runMarks([said('main.tf', 2), said('net/x.tf', 1)], used, used)]).toEqual([
      ['main.tf', [{ line: 2, severity: 'error', text: 'Unsupported argument\nNot here.' }]],
      ['net/x.tf', [{ line: 1, severity: 'error', text: 'Unsupported argument\nNot here.' }]],
    ])
  })

  test('a line that changed since, a file that is gone and no place have none', () => {
    const now = { 'main.tf': 'a\nB\nc' }
    const all = [said('main.tf', 2), said('net/x.tf', 1), said(null, null), said('main.tf', 9)]
    expect(runMarks(all, used, now).size).toBe(0)
    expect(runMarks([said('main.tf', 1)], used, { 'main.tf': 'a\r\nB' }).size).toBe(1)
    expect(runMarks([said('constructor', 1)], used, now).size).toBe(0)
  })

  test('text that would hide or turn others is shown as code points', () => {
    const [mark] =
      runMarks([{ ...said('main.tf', 1), summary: 'a\u202eb' }], used, used).get('main.tf') ?? []
    expect(mark?.text).toContain('\\u{202e}')
  })
})
