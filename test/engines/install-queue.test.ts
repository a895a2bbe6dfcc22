import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { tryLock } from '../../engines/file-lock.ts'
import { inInstallQueue } from '../../engines/install-queue.ts'

let cacheDir: string
beforeEach(() => {
  cacheDir = mkdtempSync(join(tmpdir(), 'cc-queue-'))
  return () => rmSync(cacheDir, { recursive: true, force: true })
})

/** Installations that note when they began, in order, and how many were under way. */
function recorder() {
  const began: string[] = []
  let running = 0
  let most = 0
  const install = async (name: string, rank: number, work = async () => sleep(30)) =>
    inInstallQueue({ name, rank, cacheDir, say: () => undefined }, async () => {
      began.push(name)
      running += 1
      most = Math.max(most, running)
      await work().finally(() => (running -= 1))
      return name
    })
  return { began, install, most: () => most }
}

test('two at once where there are cores for them, never more; then the lowest rank first', async () => {
  const { began, install, most } = recorder()
  const asked = [install('server', 0), install('tofu', 1), install('ui', 4), install('opa', 3)]
  expect(await Promise.all(asked)).toEqual(['server', 'tofu', 'ui', 'opa'])
  expect(began).toEqual(['server', 'tofu', 'opa', 'ui'])
  expect(most()).toBeLessThanOrEqual(Math.min(2, availableParallelism()))
})

test('one of a name at a time, and others go by it', async () => {
  const { began, install } = recorder()
  const names = ['opa', 'opa', 'tofu']
  await Promise.all(names.map(async (name, rank) => install(name, rank)))
  expect(began.indexOf('opa')).toBe(0)
  expect(began.toSorted()).toEqual(['opa', 'opa', 'tofu'])
  let running = 0
  const alone = async () => {
    running += 1
    expect(running).toBe(1)
    await sleep(20)
    running -= 1
  }
  await Promise.all([0, 1, 2].map(async (rank) => install('same', rank, alone)))
})

test('the lock of other processes is held until the last has ended, also where one fails', async () => {
  const { install } = recorder()
  const lock = join(cacheDir, 'install.lock')
  const held = async () => {
    expect(tryLock(lock)).toBeUndefined()
    await sleep(20)
    expect(tryLock(lock)).toBeUndefined()
  }
  const failed = install('opa', 0, async () => {
    throw new Error('no')
  })
  await Promise.all([expect(failed).rejects.toThrow('no'), install('tofu', 1, held)])
  const free = tryLock(lock)
  expect(free).toBeDefined()
  free?.release()
})
