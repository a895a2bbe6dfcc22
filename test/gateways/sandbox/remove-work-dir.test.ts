import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { claimName } from '../../../gateways/sandbox/claim-name.ts'
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

test('while another worker uses the folder nothing is removed', async () => {
  for (const name of ['bin', 'slot-900-0123']) mkdirSync(join(folder, name), { recursive: true })
  const claim = await claimName(join(folder, 'users'), 'another')

  await removeWorkDir(folder)
  expect(readdirSync(folder).toSorted()).toEqual(['bin', 'slot-900-0123', 'users'])

  claim?.release()
  await removeWorkDir(folder)
  expect(existsSync(folder)).toBe(false)
})
