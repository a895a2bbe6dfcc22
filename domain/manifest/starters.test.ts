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

test('a starter that names its files has the folder of the hooks that it shows among them', () => {
  const choosing = starters.flatMap(
    ({ yaml }) => checkManifest(yaml).manifest?.build.artifact.include ?? [],
  )
  expect(choosing).toContain('hooks/**')
  for (const { yaml } of starters) {
    const include = checkManifest(yaml).manifest?.build.artifact.include
    if (include) expect(include).toContain('hooks/**')
  }
})
