import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The first keys of advisory locks: as named constants, and within a statement. */
const forms = [/\w*[lL]ock = (\d[\d_]*)/g, /advisory_\w+\((\d[\d_]*)/g]

test('no two advisory locks have one number: each would wait for what the other one guards', () => {
  const root = join(import.meta.dirname, '../../store')
  const places = new Map<number, string[]>()
  for (const file of globSync('**/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, digits = ''] of forms.flatMap((form) => [...text.matchAll(form)])) {
      const number = Number(digits.replaceAll('_', ''))
      places.set(number, [...(places.get(number) ?? []), file])
    }
  }
  expect(places.size).toBeGreaterThan(5)
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([])
})
