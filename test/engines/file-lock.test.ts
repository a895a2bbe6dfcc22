import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tryLock, waitForLock } from '../../engines/file-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'cc-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('one holder at a time, in one process too', () => {
  const path = join(folder, 'a.lock')
  const lock = tryLock(path)
  expect(lock).toBeDefined()
  expect(tryLock(path)).toBeUndefined()
  lock?.release()
  const next = tryLock(path)
  expect(next).toBeDefined()
  next?.release()
})

test('another process holds it until it is killed', async () => {
  const path = join(folder, 'b.lock')
  const script = `
    const { tryLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../engines/file-lock.ts'))})
    console.log(tryLock(${JSON.stringify(path)}) ? 'held' : 'refused')
    setInterval(() => undefined, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout, 'data')
  expect(String(said).trim()).toBe('held')
  expect(tryLock(path)).toBeUndefined()

  let waited = 0
  const waiting = waitForLock(path, () => (waited += 1))
  child.kill('SIGKILL')
  const lock = await waiting
  lock.release()
  expect(waited).toBe(1)
})
