import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { hasBwrap } from './shell-sandbox.ts'

const isRoot = process.getuid?.() === 0

test.runIf(hasBwrap && isRoot)('steps can enter folders that a closed umask made', async () => {
  const script = new URL('reader-of-closed-umask.ts', import.meta.url).pathname
  // In a mount namespace of its own, as on a machine where no service of this kind ever ran.
  const empty = 'mount -t tmpfs -o mode=755 none /var/lib && exec "$0" "$@"'
  const inside = ['--mount', 'sh', '-c', empty, process.execPath, script]
  const { stdout } = await promisify(execFile)('unshare', inside)

  expect(stdout).toMatch(/^opened \/var\/lib\/cloud-control\/work-[0-9a-f]{16}\n$/)
})
