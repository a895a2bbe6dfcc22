import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorWords, codesOfMachines } from '../../console/src/words/error-words.ts'
import { addCodes, readErrorCodes, type ErrorCodes } from './error-codes.ts'

const root = join(import.meta.dirname, '../..')

describe('the codes of errors', () => {
  const { codes, unread } = readErrorCodes(root)

  test('each has words in the console, or is one that no page can meet', () => {
    const missing = [...codes]
      .filter(([code]) => !(code in errorWords) && !codesOfMachines.has(code))
      .map(([code, paths]) => `${code}: ${paths.join(', ')}`)
    expect(missing).toEqual([])
  })

  test('no words are left of a code that is gone', () => {
    const known = [...Object.keys(errorWords), ...codesOfMachines]
    expect(known.filter((code) => !codes.has(code))).toEqual([])
  })

  test('each place that makes an error can be read', () => {
    expect(unread).toEqual([
      // The constant of another file: response_too_large.
      'gateways/clouds/full-page.ts: tooLarge',
      // Sent by a process that runs domain/workspaces/split-state.ts.
      "gateways/states/split-state.ts: String(header['code'])",
    ])
  })

  test('the words name nothing of the API and end as sentences', () => {
    const texts = Object.values(errorWords).map((words) =>
      typeof words === 'string' ? words : words.text,
    )
    expect(
      texts.filter((text) => !/^[A-Z].*\.$/.test(text) || /\/api\/|\?\w+=|[a-z]_[a-z]/.test(text)),
    ).toEqual([])
  })
})

describe('reading the codes of a file', () => {
  const read = (text: string): ErrorCodes => {
    const found: ErrorCodes = { codes: new Map(), unread: [] }
    addCodes(found, 'a.ts', text)
    return found
  }

  test.each([
    ["throw conflict('name_taken', 'It is.')", ['name_taken']],
    ["throw conflict(old ? 'name_taken' : 'name_old', 'It is.')", ['name_taken', 'name_old']],
    ["invalid('It is.', undefined, 'bad_name')", ['bad_name']],
    ["const code = 'far'\nnew AppError('invalid', 'It is.', { code })", []],
    ["new AppError('invalid', 'It is.', { code: 'far_off' })", ['far_off']],
    ["new AppError('locked', 'It is.')", ['locked']],
    [
      "const refused = (path: string, code: string) => invalid(path, [], code)\nrefused('a', 'too_far')",
      ['too_far'],
    ],
    ["function of() { return 'one_more' }\nconflict(of(), 'It is.')", ['one_more']],
  ])('%s', (text, codes) => {
    expect([...read(text).codes.keys()]).toEqual(codes)
  })

  test('names a place that it cannot read', () => {
    expect(read('conflict(codes[0], "It is.")').unread).toEqual(['a.ts: codes[0]'])
  })
})
