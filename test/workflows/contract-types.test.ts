import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const exported = [...read('workflows/index.ts').matchAll(/^export \{ (\w+) \}/gm)].map(
  ([, name]) => name,
)

const types = globSync('workflows/*/contract.ts', { cwd: root }).flatMap((path) =>
  [...read(path).matchAll(/^export const (\w+Type) = '(\w+)'$/gm)].map(
    ([, constant = '', name = '']) => ({ path, constant, name }),
  ),
)

// Temporal finds a workflow by this name. Under another name a start is accepted and never begins.
test.each(types)('$constant of $path is an exported workflow: $name', ({ name }) => {
  expect(exported).toContain(name)
})

test('each exported workflow has its type in a contract', () => {
  expect(new Set(types.map(({ name }) => name))).toEqual(new Set(exported))
})
