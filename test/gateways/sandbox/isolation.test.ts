import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasBwrap,
  isRoot,
  limits,
  sh,
  type ShellSandbox,
  shellSandbox,
  why,
} from './shell-sandbox.ts'

// Attacks by a plan's author, from inside a real bubblewrap (docs/decisions/0007-sandbox.md).
describe.skipIf(!hasBwrap)(`a step in bubblewrap (${why})`, () => {
  let shell: ShellSandbox
  beforeAll(async () => {
    shell = await shellSandbox()
  })
  afterAll(() => shell?.close())

  test('cannot reach a port on the host’s loopback, in either network', async () => {
    const host = createServer((socket) => socket.end('secret of the host\n'))
    await once(host.listen(0, '127.0.0.1'), 'listening')
    const { port } = host.address() as AddressInfo
    const bench = await shell.open()
    for (const network of ['none', 'run'] as const) {
      const end = await sh(bench, `cat < /dev/tcp/127.0.0.1/${port}`, { network })
      expect(end.exitCode).toBe(1)
      expect(end.text).toContain('refused')
      expect(end.text).not.toContain('secret')
    }
    await bench.close()
    host.close()
  })

  test('has no network interface but its own loopback', async () => {
    const bench = await shell.open()
    for (const network of ['none', 'run'] as const) {
      const { text } = await sh(bench, 'cat /proc/net/dev | tail -n +3 | cut -d: -f1', { network })
      expect(text.trim()).toBe('lo')
    }
    await bench.close()
  })

  test('sees no home, no data folder, no checkout, no other slot', async () => {
    await writeFile(join(shell.dataDir, 'secret'), 'of the control plane')
    const bench = await shell.open()
    const other = await shell.open()
    await other.write('secret', 'of another run')
    const paths = ['/root', '/home', shell.dataDir, process.cwd(), shell.workDir, '/run', '/var']
    for (const path of paths) expect((await sh(bench, `ls -a ${path}`)).exitCode).toBe(2)
    // Links through /proc resolve in the step's own file system, not in the host's.
    const root = await sh(bench, 'ls -a /proc/1/root/ /proc/1/cwd/; cat /proc/self/environ')
    expect(root.text).not.toMatch(/^(root|home|var|boot)$/m)
    expect((await sh(bench, 'ls /etc/ssl/private /etc/shadow')).exitCode).toBe(2)
    await Promise.all([bench.close(), other.close()])
  })

  test('sees nothing of the worker’s environment, processes or descriptors', async () => {
    process.env['SANDBOX_TEST_SECRET'] = 'of the worker'
    const bench = await shell.open()
    const env = { PATH: '/usr/bin', GIVEN: 'yes' }
    const seen = await sh(bench, 'cat /proc/*/environ | tr "\\0" "\\n"', { env })
    expect(seen.text).toContain('GIVEN=yes')
    expect(seen.text).not.toContain('SANDBOX_TEST_SECRET')
    const pids = await sh(bench, 'cd /proc; echo [0-9]*')
    expect(pids.text).toBe('1 2')
    const fds = await sh(bench, 'sh -c "cd /proc/self/fd; readlink [0-9]*"; true')
    expect(fds.text.replaceAll(/^(socket:.*|\/dev\/null|\/proc\/.*)$/gm, '').trim()).toBe('')
    delete process.env['SANDBOX_TEST_SECRET']
    await bench.close()
  })

  test.skipIf(!isRoot)('runs under a uid of its slot, without any capability', async () => {
    const bench = await shell.open()
    let group = 0
    const lines: string[] = []
    await sh(bench, 'grep CapEff /proc/self/status; sleep 0.2', {
      onSpawn: (pid) => (group = pid),
      onLine: async (_stream, line) => {
        const { readFileSync } = await import('node:fs')
        lines.push(line, readFileSync(`/proc/${group}/status`, 'utf8'))
      },
    })
    expect(lines[0]).toMatch(/CapEff:\t0{16}/)
    expect(lines[1]).toMatch(/^Uid:\t64\d\d\d\t64\d\d\d/m)
    await bench.close()
  })

  test('cannot make a user namespace, mount, trace, or use the kernel’s keyring', async () => {
    const bench = await shell.open()
    expect((await sh(bench, 'unshare -U true')).exitCode).not.toBe(0)
    expect((await sh(bench, 'mount -t tmpfs x /tmp')).exitCode).not.toBe(0)
    const traced = await sh(bench, "perl -e '$! = 0; syscall(101, 16, 2, 0, 0); print $!+0'")
    if (process.arch === 'x64') expect(traced.text).toBe('1')
    await bench.close()
  })

  test('cannot write or replace its read-only files', async () => {
    const bench = await shell.open()
    await bench.makeFolder('config')
    await bench.write('config/main.tf', 'good')
    const attack = 'echo bad > config/main.tf; rm -rf config; mv config gone; ln -s /etc config'
    await sh(bench, attack, { readOnly: ['config'] })
    for (const path of ['/x', '/usr/x', '/dev/x', '/etc/x', '/engine/tofu'])
      expect((await sh(bench, `echo x > ${path}`)).exitCode).toBe(1)
    expect(String(await bench.read('config/main.tf', 100))).toBe('good')
    await bench.close()
  })

  test('a link in place of a read-only folder does not mount the host’s files', async () => {
    const bench = await shell.open()
    await sh(bench, 'ln -s /run config')
    const next = sh(bench, 'ls config/', { readOnly: ['config'] })
    await expect(next).rejects.toMatchObject({ fault: 'invalid' })
    await expect(sh(bench, 'true', { readOnly: ['a/b'] })).rejects.toMatchObject({
      fault: 'invalid',
    })
    await bench.close()
  })

  test('a step fills only its own disk', async () => {
    const bench = await shell.open({ sizeBytes: 4 * 1024 * 1024 })
    const end = await sh(
      bench,
      'head -c 9M /dev/zero > full; for i in 1 2; do head -c 40M /dev/zero > /dev/shm/$i; done; echo after',
    )
    expect(end.text.match(/No space left/g)).toHaveLength(2)
    expect(end.text).toContain('after')
    const size = (await sh(bench, 'stat -c %s /bench/full')).text
    expect(Number(size)).toBeLessThanOrEqual(4 * 1024 * 1024)
    await bench.close()
  })

  test('a fork bomb ends at the process limit and leaves nothing', async () => {
    const bench = await shell.open()
    const small = { ...limits, processes: 32, timeoutMs: 2000 }
    const bomb = 'for i in $(seq 200); do sleep 1 & done; echo $(ls -d /proc/[0-9]* | wc -l)'
    const end = await sh(bench, bomb, { limits: small })
    expect(end.text).toContain('fork')
    await sh(bench, 'f() { f | f & }; f; sleep 5', { limits: small })
    const after = await sh(bench, 'cd /proc; echo [0-9]*')
    expect(after.text).toBe('1 2')
    await bench.close()
  }, 20_000)

  test('a step above its memory limit is killed, with one process or many', async () => {
    const bench = await shell.open()
    const one = await sh(bench, 'x=x; while :; do x=$x$x; done')
    expect(one.exitCode).not.toBe(0)
    const many = await sh(
      bench,
      'for i in 1 2 3 4; do perl -e \'$x = "x" x 100000000; sleep 9\' & done; wait',
    )
    expect(many).toMatchObject({ how: 'killed', limit: 'memory' })
    await bench.close()
  }, 20_000)

  test('two workbenches of one slot share no files', async () => {
    const first = await shell.open()
    await sh(first, 'echo secret > /bench/left; echo secret > /tmp/left; sleep 99 & disown')
    await first.close()
    const second = await shell.open()
    expect((await sh(second, 'ls -A /bench /tmp; cd /proc; echo [0-9]*')).text).not.toContain(
      'left',
    )
    await second.close()
  })

  test('createSandbox keeps folders of live slots and removes those of dead ones', async () => {
    const bench = await shell.open()
    await bench.write('kept', 'x')
    const dead = join(shell.workDir, 'slot-899-dead')
    await mkdir(dead)
    const again = await shellSandbox({ workDir: shell.workDir })
    await expect(rm(dead)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await bench.read('kept', 10)).toBeDefined()
    await again.sandbox.close()
    await bench.close()
  })
})
