import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folders = ['activities', 'api', 'app', 'runner', 'store', 'worker']

// A second insert would be a copy of the columns, which a new column or rule of the audit log misses.
test('one file inserts audit entries', () => {
  const inserting = folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.startsWith('store/migrations/'))
    .filter((path) =>
      /insert\s+into\s+audit_entries|\('audit_entries'\)\s*\.insert/i.test(
        readFileSync(join(root, path), 'utf8'),
      ),
    )
  expect(inserting).toEqual(['store/insert-audit-entry.ts'])
})
