import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, sh, type ShellSandbox, shellSandbox, why } from './shell-sandbox.ts'

// bwrap reads its options separated by NUL: one within a value would begin another option.
describe.skipIf(!hasBwrap)(`a step in bubblewrap (${why})`, () => {
  let shell: ShellSandbox
  beforeAll(async () => {
    shell = await shellSandbox()
  })
  afterAll(() => shell?.close())

  test.each([
    ['the value of a variable', { PATH: '/usr/bin', X: 'a\0--bind\0/\0/bench/host' }],
    ['the name of a variable', { PATH: '/usr/bin', 'X\0a\0--bind\0/\0/bench/host': '' }],
  ])('is not started with a NUL in %s', async (_, env) => {
    const bench = await shell.open()
    const started = sh(bench, 'ls /bench/host/root', { env })
    await expect(started).rejects.toThrow('An option of the sandbox has a NUL in it')
    // The next step of the same workbench is not disturbed.
    expect((await sh(bench, 'echo well')).text).toBe('well')
    await bench.close()
  })
})
