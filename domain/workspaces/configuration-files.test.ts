import { describe, expect, test } from 'vitest'
import { checkConfigurationFiles } from './configuration-files.ts'

describe('names that a configuration may not have', () => {
  const taken = (path: string) => checkConfigurationFiles({ 'main.tf': '#\n', [path]: '#\n' })

  test.each([
    '.git/config',
    '.GIT/config',
    '.git',
    'a/.git/hooks/pre-commit',
    '.git /config',
    '.git./config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '.g\u200dit/config',
  ])('%j is git’s own: who checks the repository out would run its hooks', (path) => {
    expect(() => taken(path)).toThrow('belongs to Git itself')
  })

  test.each(['a\u202eft.niam', 'a\u2066b.tf', 'a\nb.tf', 'a\\b.tf'])(
    '%j reads as another',
    (path) => {
      expect(() => taken(path)).toThrow('control characters')
    },
  )

  test.each(['.gitignore', '.gitmodules', 'ü.tf', 'a b.tf', 'digit/x.tf', '.github/x.yml'])(
    '%j is a name as any other',
    (path) => {
      expect(() => taken(path)).not.toThrow()
    },
  )
})
