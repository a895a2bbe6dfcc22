import { expect, test } from 'vitest'
import { tofuMessages } from '../infrastructure/tofu-messages.ts'
import { diagnosticsIn, maxDiagnostics } from './diagnostics-in-log.ts'

const logOf = (...outputs: string[]) =>
  outputs.flatMap(tofuMessages).map((message, at) => ({ ...message, seq: at + 1 }))

const diagnostic = (about: object, severity = 'error') =>
  JSON.stringify({
    '@level': severity === 'error' ? 'error' : 'warn',
    '@message': `${severity === 'error' ? 'Error' : 'Warning'}: ${'summary' in about ? String(about.summary) : ''}`,
    diagnostic: { severity, ...about },
  })

const missing = diagnostic({
  summary: 'No value for required variable',
  detail:
    'The root module input variable "region" is not set, and has no default value. Use a -var or -var-file option.',
  range: { filename: 'main.tf', start: { line: 3, column: 1 } },
})

test('a diagnostic has its place, its text and the variable that has no value', () => {
  expect(diagnosticsIn(logOf('{"@message":"Initializing","@level":"info"}', missing))).toEqual([
    {
      severity: 'error',
      seq: 2,
      summary: 'No value for required variable',
      detail: 'The root module input variable "region" is not set, and has no default value.',
      address: null,
      file: 'main.tf',
      line: 3,
      column: 1,
      variable: 'region',
    },
  ])
})

test('each of several diagnostics has its own text and its resource', () => {
  const other = diagnostic(
    { summary: 'Deprecated', detail: 'first\n\nsecond', address: 'aws_vpc.a["x y"]' },
    'warning',
  )
  const found = diagnosticsIn(logOf(missing, other, missing))
  expect(found.map(({ severity, address }) => [severity, address])).toEqual([
    ['error', null],
    ['warning', 'aws_vpc.a["x y"]'],
    ['error', null],
  ])
  expect(found[1]).toMatchObject({ detail: 'first\n\nsecond', file: null, variable: null })
})

test('a text that looks like a place or a resource stays text', () => {
  const detail = 'It says:\non other.tf line 9, column 9\nwith nobody'
  const [found] = diagnosticsIn(logOf(diagnostic({ summary: 'Odd', detail })))
  expect(found).toMatchObject({ detail, file: null, address: null })
})

test('a text after the place that looks like another place stays text', () => {
  const range = { filename: 'main.tf', start: { line: 3, column: 1 } }
  const detail = 'on other.tf line 9, column 9'
  const [found] = diagnosticsIn(logOf(diagnostic({ summary: 'Odd', detail, range })))
  expect(found).toMatchObject({ detail, file: 'main.tf', line: 3 })
})

test('lines that were left out between two lines end the text', () => {
  const [head, , text] = logOf(missing)
  if (!head || !text) throw new Error('no lines')
  expect(diagnosticsIn([head, text])).toMatchObject([{ detail: '', variable: null }])
})

test('a log of errors alone is bounded', () => {
  const found = diagnosticsIn(logOf(...Array.from({ length: maxDiagnostics + 5 }, () => missing)))
  expect(found).toHaveLength(maxDiagnostics)
})
