import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { attackOnParent } from './attack-on-parent.ts'
import { hasBwrap, isRoot, sh, shellSandbox, why } from './shell-sandbox.ts'

// The attacker is a provider, which runs as a child of the engine under its uid. If it could take
// over the engine's output, it could change what the gates and the approver see.
const env = { PATH: '/usr/bin', ARCH: process.arch, ATTACK: attackOnParent }

test.skipIf(!hasBwrap)(
  `a child of the engine cannot attach to it or use its descriptors (${why})`,
  async () => {
    const shell = await shellSandbox()
    const bench = await shell.open()
    for (const network of ['none', 'run'] as const) {
      const { text } = await sh(bench, 'perl -e "$ATTACK"; true', { env, network })
      expectAllRefused(text)
    }
    await shell.close()
  },
)

test.skipIf(!hasBwrap)('a child of the engine cannot read the engine’s program file', async () => {
  const shell = await shellSandbox()
  const bench = await shell.open()
  const { text } = await sh(bench, 'cat /engine/tofu | wc -c; chmod 755 /engine/tofu; true')
  expect(text).toContain('Permission denied')
  expect(text).toMatch(/^0$/m)
  expect(text).toMatch(/chmod: .*(Read-only file system|not permitted)/)
  await shell.close()
})

test.skipIf(!hasBwrap)('the engine’s own input and output still work', async () => {
  const shell = await shellSandbox()
  const bench = await shell.open()
  const end = await sh(bench, 'read word; echo "out $word"; echo err >&2', { stdin: 'in\n' })
  expect(end.text.split('\n').toSorted()).toEqual(['err', 'out in'])
  const fds = await sh(bench, 'sh -c "cd /proc/self/fd; readlink 0 1 6 7"; true')
  expect(fds.text.split('\n').filter((line) => line.startsWith('socket'))).toHaveLength(2)
  await shell.close()
})

test.skipIf(!hasBwrap || !isRoot)(
  'a child cannot reach into the engine of a worker that is not root',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'plain-user-'))
    const uid = 63_999
    await chown(home, uid, uid)
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'step-of-plain-user.ts')], {
      uid,
      gid: uid,
      env: { TMPDIR: home, PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [text, errors] = await Promise.all([textOf(worker.stdout), textOf(worker.stderr)])
    expect(errors).toBe('')
    expectAllRefused(text)
    rmSync(home, { recursive: true, force: true })
  },
)

function expectAllRefused(text: string): void {
  const lines = text.trim().split('\n')
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.filter((line) => !line.endsWith(': refused'))).toEqual([])
}
