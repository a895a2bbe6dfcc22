import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBadCitations } from './find-citations.ts'

const root = join(import.meta.dirname, '../..')
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root })
const files = new Set(
  listed
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file))),
)
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Whether people write the file. Histories and the OpenAPI document are generated. */
const isRead = (file: string): boolean =>
  /\.(ts|tsx|md|ya?ml|css|html|rego|py|sh)$|^Dockerfile$|^\.ci\//.test(file) &&
  !file.startsWith('test/histories/') &&
  !/^scripts\/architecture\/.*citations/.test(file)

test('comments and pages cite what is in the repository, an RFC or a public standard', () => {
  const bad = [...files]
    .filter(isRead)
    .flatMap((file) =>
      findBadCitations(read(file), { file, files, read }).map((fault) => `${file}: ${fault}`),
    )
  expect(bad).toEqual([])
})

describe('a citation is refused', () => {
  const there = new Set(['docs/runs.md', 'docs/decisions/0032-a-worker-that-stops.md', 'api/a.ts'])
  const page = '# Runs\n\n## Digest\n\n## Recovery: what a kill does\n'
  const faultsOf = (text: string, file = 'api/a.ts') =>
    findBadCitations(text, { file, files: there, read: () => page })

  test.each([
    '/** A lost apply (temporal.md 5). */',
    '// See docs/missing.md.',
    '/**\n * As it is said (docs/runs.md,\n * "Nothing of it").\n */',
    '// The counter of docs/decisions/0099.',
    '/** §4.4 Pipelines. */',
    '/** A price (decisions §4). */',
    '// By contract 4.1 both fields are there.',
    'const sql = `\n  -- Counted by address (decisions 5a).\n`',
  ])('%s', (text) => expect(faultsOf(text)).toHaveLength(1))

  test.each(['[runs](runs.md#nothing)', '[gone](../api/b.ts)'])('in a page: %s', (text) =>
    expect(faultsOf(text, 'docs/page.md')).toHaveLength(1),
  )
})

describe('a citation stands', () => {
  const there = new Set(['docs/runs.md', 'docs/decisions/0032-a-worker-that-stops.md'])
  const page = '# Runs\n\n## Digest\n\n## Recovery: what a kill does\n'

  test.each([
    '/** Bound to the plan (docs/runs.md, "Digest"). */',
    '/**\n * After a kill (docs/runs.md,\n * "Recovery").\n */',
    '// RFC 7644 §3.5.2 and RFC 7643 4.2.',
    '// SAML bindings 3.4.4.1.',
    '// What applies is let finish (docs/decisions/0032).',
    'const files = { "docs/x.md": "a file of a customer" }',
  ])('%s', (text) =>
    expect(findBadCitations(text, { file: 'a.ts', files: there, read: () => page })).toEqual([]),
  )
})
