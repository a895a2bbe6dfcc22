import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCgroups } from '../../../gateways/sandbox/open-cgroups.ts'
import { hasBwrap, limits, sh, type ShellSandbox, shellSandbox, why } from './shell-sandbox.ts'

const isX64 = process.arch === 'x64'
const env = { PATH: '/usr/bin:/usr/sbin', MMAP: isX64 ? '9' : '222', READ: isX64 ? '0' : '63' }
const small = { ...limits, memoryBytes: 128 * 1024 * 1024 }

/**
 * Maps `mib` of shared anonymous memory. Child processes fill one part each and exit, so the pages
 * remain allocated and count for no process.
 */
const fillShared = (mib: number, after: string) => `perl -e '
  my $part = 32 * 1048576;
  my $at = syscall($ENV{MMAP}, 0, ${mib} * 1048576, 3, 0x21, -1, 0);
  die "mmap: $!" if $at == -1;
  open(my $zero, "<", "/dev/zero");
  for my $n (0 .. ${mib} / 32 - 1) {
    next if fork;
    syscall($ENV{READ}, fileno($zero), $at + $n * $part, $part);
    exit;
  }
  1 while wait != -1;
  ${after}'`

// Tests the limit of the kernel (cgroup v2) or of the watch, whichever the host has.
describe.skipIf(!hasBwrap)(`the memory of a step (${why})`, () => {
  let shell: ShellSandbox
  beforeAll(async () => {
    shell = await shellSandbox()
  })
  afterAll(() => shell?.close())

  test('shared memory that exited children have filled counts', async () => {
    const bench = await shell.open()
    const hog = await sh(bench, fillShared(768, 'print "filled\\n"; sleep 9'), {
      env,
      limits: small,
    })
    expect(hog).toMatchObject({ how: 'killed', limit: 'memory' })
    await bench.close()
  })

  test('memory that is mapped and not used does not count', async () => {
    const bench = await shell.open()
    const sparse = `perl -e '
      my $at = syscall($ENV{MMAP}, 0, 4096 * 1048576, 3, 0x21, -1, 0);
      open(my $zero, "<", "/dev/zero");
      syscall($ENV{READ}, fileno($zero), $at, 1048576); sleep 1; print "done"'`
    const end = await sh(bench, sparse, { env, limits: small })
    // A worker that is not root cannot read how much of a mapping is used.
    if (process.getuid?.() === 0 || shell.sandbox.memoryLimit === 'cgroup')
      expect(end).toMatchObject({ how: 'exited', text: 'done' })
    await bench.close()
  })

  test('a step below its limit is not killed, with the maximum of shared memory', async () => {
    const bench = await shell.open()
    const end = await sh(bench, fillShared(64, 'sleep 1; print "done"'), { env, limits: small })
    expect(end).toMatchObject({ how: 'exited', text: 'done' })
    await bench.close()
  })

  test('the memory of many processes counts together, and one process that grows quickly is killed', async () => {
    const bench = await shell.open()
    const one = `perl -e '$x = "x" x (600 * 1048576); sleep 9'`
    const grown = await sh(bench, `${one}; exit 1`, { env, limits: small })
    expect(grown.exitCode).not.toBe(0)
    if (shell.sandbox.memoryLimit === 'cgroup')
      expect(grown).toMatchObject({ how: 'killed', limit: 'memory' })
    const part = `perl -e '$x = "x" x (20 * 1048576); sleep 9' &`
    const many = await sh(bench, `${part.repeat(16)} wait`, { env, limits: small })
    expect(many).toMatchObject({ how: 'killed', limit: 'memory' })
    await bench.close()
  })

  test('the cgroup of a step is removed', async () => {
    const bench = await shell.open()
    await sh(bench, 'true')
    await bench.close()
    const opened = openCgroups(shell.workDir)
    expect('runs' in opened).toBe(shell.sandbox.memoryLimit === 'cgroup')
    if (!('runs' in opened)) return
    const left = () => readdirSync(opened.runs).filter((name) => name.startsWith('slot-'))
    expect(left()).toEqual([])
    // A killed worker leaves cgroups, which the next start removes.
    mkdirSync(`${opened.runs}/slot-898-dead-1`)
    await (await shellSandbox({ workDir: shell.workDir })).sandbox.close()
    expect(left()).toEqual([])
  })

  test('a host without cgroup v2 logs a warning, and production refuses to start', async () => {
    if (shell.sandbox.memoryLimit === 'cgroup') {
      expect(shell.sandbox.notes.join()).not.toContain('cgroup')
      return
    }
    expect(shell.sandbox.notes.join()).toContain('No cgroup v2')
    await expect(shellSandbox({ requireCgroups: true })).rejects.toThrow(/Delegate=yes.*runbook/)
  })
})

test('the error of a host without a usable cgroup names what is missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'cgroups-'))
  const given = (files: Record<string, string>) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content)
    return openCgroups('/work', root)
  }
  expect(given({ mountinfo: '', cgroup: '4:memory:/x\n' })).toEqual({
    missing: 'cgroup v2 is not mounted',
  })
  const mountinfo = `30 25 0:26 / ${root} rw,nosuid - cgroup2 cgroup2 rw\n`
  // The same happens on a host where memory is still a cgroup v1 controller.
  expect(given({ mountinfo, cgroup: '0::/\n', 'cgroup.controllers': 'hugetlb pids\n' })).toEqual({
    missing: `${root} has no controller memory, cpu`,
  })
  rmSync(root, { recursive: true })
})
