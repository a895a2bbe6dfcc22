import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openCgroups } from '../../../gateways/sandbox/open-cgroups.ts'
import { openCpuGroup } from '../../../gateways/sandbox/cpu-group.ts'
import { hasBwrap, sh, shellSandbox } from './shell-sandbox.ts'

describe('where the group is', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'cpu-group-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function host(mount: string, cgroup: string): string {
    mkdirSync(join(root, 'cpu/service'), { recursive: true })
    writeFileSync(join(root, 'mountinfo'), mount.replaceAll('ROOT', root))
    writeFileSync(join(root, 'cgroup'), cgroup)
    return root
  }
  const v1 = '32 31 0:29 / ROOT/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n'

  test('below the group of this process, with a tenth of the default', () => {
    const proc = host(v1, '2:memory:/\n1:cpu,cpuacct:/service\n')
    expect(openCpuGroup('runs', proc)).toBe(join(root, 'cpu/service/cloud-control-runs'))
    expect(readFileSync(join(root, 'cpu/service/cloud-control-runs/cpu.shares'), 'utf8')).toBe(
      '102',
    )
  })

  test('the same for a process that is in it', () => {
    const proc = host(v1, '1:cpuacct,cpu:/service/cloud-control-runs\n')
    expect(openCpuGroup('runs', proc)).toBe(join(root, 'cpu/service/cloud-control-runs'))
  })

  test('beside the group of the API, where that asks', () => {
    const proc = host(v1, '1:cpuacct,cpu:/service/cloud-control-answers\n')
    expect(openCpuGroup('runs', proc)).toBe(join(root, 'cpu/service/cloud-control-runs'))
  })

  test('of the API and PostgreSQL, with four times the default', () => {
    const proc = host(v1, '1:cpu,cpuacct:/service\n')
    expect(openCpuGroup('answers', proc)).toBe(join(root, 'cpu/service/cloud-control-answers'))
    expect(readFileSync(join(root, 'cpu/service/cloud-control-answers/cpu.shares'), 'utf8')).toBe(
      '4096',
    )
  })

  test('a container sees its own part of the tree', () => {
    const mount = '32 31 0:29 /docker/1 ROOT/cpu rw - cgroup cgroup rw,cpu\n'
    const proc = host(mount, '1:cpu:/docker/1/service\n')
    expect(openCpuGroup('runs', proc)).toBe(join(root, 'cpu/service/cloud-control-runs'))
  })

  test.for([
    ['cgroup v2 alone', '1 2 0:3 / ROOT/cpu rw - cgroup2 cgroup2 rw\n', '0::/service\n'],
    [
      'cpuset and no cpu',
      '1 2 0:3 / ROOT/cpu rw - cgroup cgroup rw,cpuset\n',
      '1:cpuset:/service\n',
    ],
  ] as const)('none with %s', ([, mount, cgroup]) => {
    expect(openCpuGroup('runs', host(mount, cgroup))).toBeUndefined()
  })
})

const workDir = mkdtempSync(join(tmpdir(), 'cpu-group-'))
const isV1 = 'missing' in openCgroups(workDir) && openCpuGroup('runs') !== undefined
rmSync(workDir, { recursive: true })

describe.skipIf(!hasBwrap || !isV1)('a step on a host with cgroup v1', () => {
  test('is in the group, and so is what leaves its session', async () => {
    const shell = await shellSandbox()
    try {
      const bench = await shell.open()
      let held: string[] = []
      await sh(bench, 'setsid sleep 9 & sleep 8 & sleep 0.3; echo ready; wait', {
        signal: AbortSignal.timeout(2_000),
        onLine: () => {
          held = commandsIn(openCpuGroup('runs') ?? '')
        },
      })
      expect(held).toEqual(expect.arrayContaining(['sleep\x009\x00', 'sleep\x008\x00']))
      await bench.close()
    } finally {
      await shell.close()
    }
  })
})

/** From outside: a step's own namespace shows it the root of the tree. */
const commandsIn = (group: string): string[] =>
  readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(commandOf)

/** Others' steps are in the group too, and may end at any moment. */
const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
