import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wordsOfError } from '../../../console/src/words/error-words.ts'
import { readErrorCodes } from '../../../scripts/architecture/error-codes.ts'
import { wrongWordsOf } from '../../e2e/wrong-words.ts'

const codes = [...readErrorCodes(join(import.meta.dirname, '../../..')).codes.keys()]

test('an error of any code has a sentence for people, without names of the API', () => {
  const wrong = codes.flatMap((code) => {
    const { text, items, action } = wordsOfError({
      code,
      message: 'PUT /api/workspaces/1?abandon=true needs mutate_infra. Set gitConnectionId.',
      details: [{ path: 'gitConnectionId', message: 'needs mutate_infra, see /api/docs?x=1' }],
    })
    const named = items.flatMap((item) => [item.name, item.text])
    const said = [text, ...named, action?.label ?? ''].join(' \n ')
    return [...(/^[A-Z].+[.]/.test(text) ? [] : [`${code}: ${text}`]), ...wrongWordsOf(said, code)]
  })
  expect(codes.length).toBeGreaterThan(150)
  expect(wrong).toEqual([])
})
