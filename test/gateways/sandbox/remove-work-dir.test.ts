import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { removeWorkDir } from '../../../gateways/sandbox/remove-work-dir.ts'

const folder = mkdtempSync(join(tmpdir(), 'cc-work-dir-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('what sandboxes made is removed, and the folder with it', async () => {
  for (const name of ['bin', 'etc', 'reader-0123', 'unfinished-0123']) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'file'), '')
  }

  await removeWorkDir(folder)

  expect(existsSync(folder)).toBe(false)
})

test('a database in the same folder stays', async () => {
  for (const name of ['bin', 'postgres']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'belongs-to'), '')

  await removeWorkDir(folder)

  expect(readdirSync(folder).toSorted()).toEqual(['belongs-to', 'postgres'])
})
