import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { namespaceOf } from '../../../gateways/sandbox/namespace-of.ts'
import { hasBwrap } from './shell-sandbox.ts'

async function memoryOf(pid: number): Promise<number> {
  const info = new PassThrough()
  const namespace = namespaceOf(info)
  info.end(`{"child-pid": ${pid}}`)
  await new Promise((resolve) => info.once('end', resolve))
  return namespace.memoryBytes()
}

test.skipIf(!hasBwrap)(
  'a step whose root is still the host’s is not taken for all that the host runs',
  async () => {
    // A child of bwrap before it has changed its root: a separate pid namespace, and the host's
    // /proc.
    const flags = ['--user', '--pid', '--fork', '--kill-child=SIGKILL']
    const outer = spawn('unshare', [...flags, 'sleep', '60'], { stdio: 'ignore' })
    try {
      const inner = () =>
        readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim()
      await expect.poll(inner, { timeout: 10_000 }).toMatch(/^\d+$/)
      expect(await memoryOf(Number(inner()))).toBe(0)
    } finally {
      outer.kill('SIGKILL')
    }
  },
)

test('a pid that the host has reused for another process is not in the namespace', async () => {
  expect(await memoryOf(process.pid)).toBe(0)
})
