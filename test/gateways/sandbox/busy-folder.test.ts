import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { removeWorkFolder } from '../../../gateways/sandbox/work-folder.ts'

test.runIf(process.getuid?.() === 0)(
  'a folder that is busy for a moment is removed',
  async ({ skip }) => {
    const path = mkdtempSync(join(tmpdir(), 'cc-busy-'))
    // The unmount of the folder does not find this mount, and its removal fails with EBUSY while it is there.
    const inner = join(path, 'inner')
    mkdirSync(inner)
    try {
      execFileSync('mount', ['-t', 'tmpfs', 'cc-busy', inner], { stdio: 'ignore' })
    } catch {
      skip('this host lets nobody mount')
    }
    const removed = removeWorkFolder(path)
    removed.catch(() => undefined)
    await sleep(300)
    execFileSync('umount', [inner])
    await removed
    expect(existsSync(path)).toBe(false)
  },
)
