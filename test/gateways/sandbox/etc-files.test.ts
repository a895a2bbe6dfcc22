import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { etcFiles } from '../../../gateways/sandbox/etc-files.ts'
import { seccompFilter } from '../../../gateways/sandbox/seccomp-filter.ts'

test('a step that starts while another process sets up the same folder finds whole files', async () => {
  const workDir = mkdtempSync(join(tmpdir(), 'cc-etc-'))
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }))
  const { seccompFile = '' } = await etcFiles(workDir)
  const filter = seccompFilter()?.length
  const users = join(workDir, 'etc', 'passwd')
  const line = readFileSync(users, 'utf8')

  const sizes = new Set<number>()
  const texts = new Set<string>()
  let isDone = false
  const writing = (async () => {
    for (let n = 0; n < 200; n += 1) await etcFiles(workDir)
    isDone = true
  })()
  while (!isDone) {
    sizes.add(statSync(seccompFile).size)
    texts.add(readFileSync(users, 'utf8'))
    await turn()
  }
  await writing
  expect([...sizes]).toEqual([filter])
  expect([...texts]).toEqual([line])
  // Nothing unfinished is left.
  expect(readdirSync(join(workDir, 'etc')).filter((name) => /\.[0-9a-f]{12}$/.test(name))).toEqual(
    [],
  )
})
