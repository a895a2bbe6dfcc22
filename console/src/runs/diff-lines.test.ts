import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { DiffLines } from './diff-lines.tsx'

const shown = (text: string, maxLength?: number) =>
  renderToStaticMarkup(
    createElement(DiffLines, {
      lines: [{ kind: 'added', text }],
      ...(maxLength !== undefined && { maxLength }),
    }),
  )

describe('a line of a difference', () => {
  test('is shown to its end: an approver sees a command behind 600 spaces', () => {
    const line = `systemctl restart shop${' '.repeat(600)}; cat /etc/shadow`
    expect(shown(line)).toContain('; cat /etc/shadow</code>')
  })

  test('says how many characters it leaves out, with a button that shows them', () => {
    const cut = shown('a'.repeat(2_500), 1_000)
    expect(cut).toContain('a'.repeat(1_000))
    expect(cut).not.toContain('a'.repeat(1_001))
    expect(cut).toMatch(/<button[^>]*>… 1,500 more characters<\/button>/)
  })

  test('is not cut in the middle of a character', () => {
    expect(shown(`${'a'.repeat(9)}😀b`, 10)).toContain('… 3 more characters')
  })

  test('has no such button where all of it is shown', () => {
    expect(shown('a'.repeat(1_000), 1_000)).not.toContain('<button')
  })
})
