import { expect, test } from 'vitest'
import { checkManifest } from './check-manifest.ts'
import { starterFor, starters } from './starters.ts'

test('the starter is that of the first file that is found, else one for anything', () => {
  const languageOf = (...files: string[]) => starterFor(new Set(files)).language
  expect(languageOf('README.md', 'go.mod', 'main.go')).toBe('Go')
  expect(languageOf('index.html', 'package.json')).toBe('JavaScript')
  expect(languageOf('pyproject.toml', 'Cargo.toml')).toBe('Python')
  expect(languageOf('README.md')).toBe('other')
  expect(languageOf()).toBe('other')
})

test.each(starters)('the starter for $language is accepted, without a warning', ({ yaml }) => {
  expect(checkManifest(yaml)).toMatchObject({ errors: [], warnings: [] })
})
