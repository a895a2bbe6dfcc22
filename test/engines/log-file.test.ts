import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openLogFile } from '../../engines/log-file.ts'

/** It turns beyond this. */
const turnBytes = 20 * 1024 * 1024

test('a log that somebody removed is begun again at its next turn', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'api.log')
  const log = openLogFile(path)
  log.write(Buffer.alloc(turnBytes))
  await vi.waitFor(() => expect(statSync(path).size).toBe(turnBytes), 10_000)
  rmSync(path)

  log.write(Buffer.from('after\n'))
  await log.close()

  expect(readFileSync(path, 'utf8')).toBe('after\n')
})
