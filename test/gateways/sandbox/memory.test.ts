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
 * Maps `mib` of shared anonymous memory and has children fill it, a part each, and end: the
 * pages stay, and are in no process's own count.
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

// Both where the kernel holds the memory (cgroup v2) and where a watch does: `npm test` on
// either host tries what it has.
describe.skipIf(!hasBwrap)(`the memory of a step (${why})`, () => {
  let shell: ShellSandbox
  beforeAll(async () => {
    shell = await shellSandbox()
  })
  afterAll(() => shell?.close())

  test('shared mappings that ended children have filled count', async () => {
    const bench = await shell.open()
    const hog = await sh(bench, fillShared(768, 'print "filled\\n"; sleep 9'), {
      env,
      limits: small,
    })
    expect(hog).toMatchObject({ how: 'killed', limit: 'memory' })
    await bench.close()
  })

  test('and what is mapped but not used does not', async () => {
    const bench = await shell.open()
    const sparse = `perl -e '
      my $at = syscall($ENV{MMAP}, 0, 4096 * 1048576, 3, 0x21, -1, 0);
      open(my $zero, "<", "/dev/zero");
      syscall($ENV{READ}, fileno($zero), $at, 1048576); sleep 1; print "done"'`
    const end = await sh(bench, sparse, { env, limits: small })
    // A worker that is not root cannot ask how much of a mapping is used.
    if (process.getuid?.() === 0 || shell.sandbox.memoryLimit === 'cgroup')
      expect(end).toMatchObject({ how: 'exited', text: 'done' })
    await bench.close()
  })

  test('a step under its limit ends by itself, with as much shared as it may have', async () => {
    const bench = await shell.open()
    const end = await sh(bench, fillShared(64, 'sleep 1; print "done"'), { env, limits: small })
    expect(end).toMatchObject({ how: 'exited', text: 'done' })
    await bench.close()
  })

  test('memory of many processes together, and of one that grows at once', async () => {
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

  test('no group of a step is left behind', async () => {
    const bench = await shell.open()
    await sh(bench, 'true')
    await bench.close()
    const opened = openCgroups(shell.workDir)
    expect('runs' in opened).toBe(shell.sandbox.memoryLimit === 'cgroup')
    if (!('runs' in opened)) return
    const left = () => readdirSync(opened.runs).filter((name) => name.startsWith('slot-'))
    expect(left()).toEqual([])
    // A worker that was killed leaves some, which the next start removes.
    mkdirSync(`${opened.runs}/slot-898-dead-1`)
    await (await shellSandbox({ workDir: shell.workDir })).sandbox.close()
    expect(left()).toEqual([])
  })

  test('a host without cgroup v2 is told of, and refused in production', async () => {
    if (shell.sandbox.memoryLimit === 'cgroup') {
      expect(shell.sandbox.notes.join()).not.toContain('cgroup')
      return
    }
    expect(shell.sandbox.notes.join()).toContain('No cgroup v2')
    await expect(shellSandbox({ requireCgroups: true })).rejects.toThrow(/Delegate=yes.*runbook/)
  })
})

test('a host that gives no cgroup says what is missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'cgroups-'))
  const given = (files: Record<string, string>) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content)
    return openCgroups('/work', root)
  }
  expect(given({ mountinfo: '', cgroup: '4:memory:/x\n' })).toEqual({
    missing: 'cgroup v2 is not mounted',
  })
  const mountinfo = `30 25 0:26 / ${root} rw,nosuid - cgroup2 cgroup2 rw\n`
  // As where memory is still a controller of cgroup v1.
  expect(given({ mountinfo, cgroup: '0::/\n', 'cgroup.controllers': 'hugetlb pids\n' })).toEqual({
    missing: `${root} has no controller memory, cpu`,
  })
  rmSync(root, { recursive: true })
})
