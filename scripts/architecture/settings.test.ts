import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const listed = (...paths: string[]): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], { cwd: root })
    .toString()
    .split('\n')
    .filter(Boolean)

const setting = '(?:CC|TEMPORAL|SMTP|DATABASE)_[A-Z_]+'

/** The settings that the service reads, in whichever way its sources spell that. */
const names = (text: string): Set<string> =>
  new Set([...text.matchAll(new RegExp(`['"](${setting})['"]`, 'g'))].map(([, name = '']) => name))
const source = listed('config.ts', 'config/*.ts', 'engines/*.ts', 'scripts/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .map(read)
  .join('\n')

const table = read('README.md')
  .split('\n## ')
  .find((part) => part.startsWith('Configuration'))
const rows = [...(table ?? '').matchAll(/^\| (`[^|]+) \| ([^|]*) \|/gm)].map(
  ([, first = '', second = '']) => ({ names: quoted(first), defaults: quoted(second) }),
)

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
}

/** The Compose file gives it to its own database. */
const ofCompose = 'CC_DB_PASSWORD'

test('README lists every setting that is read, and no other', () => {
  const documented = rows.flatMap((row) => row.names).toSorted()
  expect(documented).toEqual([...names(source)].toSorted())
})

test('README has the defaults of the configuration', () => {
  const config = listed('config.ts', 'config/*.ts').map(read).join('\n')
  const defaults = new Map(
    [
      ...config.matchAll(new RegExp(`(?:number|between)\\('(${setting})', ([\\d_]+)`, 'g')),
      ...config.matchAll(new RegExp(`(?:env|values)\\['(${setting})'\\] \\?\\? '([^']+)'`, 'g')),
    ].map(([, name = '', value = '']) => [name, value.replaceAll(/(?<=\d)_(?=\d)/g, '')]),
  )
  // Else the configuration is spelled in a way that this test does not know.
  expect(defaults.size).toBeGreaterThan(10)
  const wrong = rows
    .filter((row) => row.defaults.length === row.names.length)
    .flatMap((row) => row.names.map((name, at) => ({ name, readme: row.defaults[at] })))
    .map((one) => ({ ...one, config: defaults.get(one.name) }))
    .filter(({ readme, config: value }) => value !== undefined && value !== readme)
  expect(wrong).toEqual([])
})

test('README has the default limits of requests', () => {
  const [, limits = ''] = /const limits = \{ (.+) \}/.exec(read('config/server.ts')) ?? []
  const row = rows.find(({ names }) => names.includes('CC_RATE_LIMITS'))
  expect(row?.defaults).toEqual([
    limits.replaceAll(': ', '=').replaceAll(', ', ',').replaceAll('_', ''),
  ])
})

test('pages, the Compose file and the Dockerfile name no setting that nothing reads', () => {
  const all = names(listed('*.ts').map(read).join('\n'))
  const named = listed('*.md', 'docker-compose.yml', 'Dockerfile').flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/])CC_[A-Z_]+(?![\w*])/g)]
      .map(([name]) => ({ file, name }))
      .filter(({ name }) => !name.endsWith('_') && name !== ofCompose),
  )
  expect(named.filter(({ name }) => !all.has(name))).toEqual([])
})
