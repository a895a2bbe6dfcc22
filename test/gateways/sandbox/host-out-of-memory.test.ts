import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeCgroup } from '../../../gateways/sandbox/cgroup.ts'
import { launchAsProcess } from '../../../gateways/sandbox/launch-as-process.ts'
import { oomKills } from '../../../gateways/sandbox/oom-kills.ts'
import { superviseStep } from '../../../gateways/sandbox/supervise-step.ts'
import type { Step } from '../../../gateways/sandbox/workbench.ts'
import { limits } from './shell-sandbox.ts'

const isLinux = process.platform === 'linux'

/** Runs this script in bash, on a host that counts these kills for want of memory before it and after it. */
async function endOf(script: string, before: number, after: number) {
  const step: Step = {
    program: 'sh',
    args: ['-c', script],
    env: {},
    cwd: '',
    network: 'none',
    limits,
  }
  const bench = {
    root: '/',
    uid: undefined,
    program: '/bin/bash',
    enterNetwork: [],
    tmpfsBytes: 0,
  }
  const counted = [before, after]
  const host = { prlimit: undefined, setpriv: undefined }
  return superviseStep(launchAsProcess(host, bench, step), step, {
    graceMs: 500,
    oomKills: () => counted.shift() ?? after,
  })
}

test.skipIf(!isLinux)(
  'a step that SIGKILL ended while the kernel ran out of memory needs more than the host has',
  async () => {
    const ofHost = { how: 'killed', limit: 'memory', ofHost: true }
    expect(await endOf('kill -9 $$', 3, 4)).toMatchObject(ofHost)
    expect((await endOf('kill -9 $$', 4, 4)).limit).toBeUndefined()
    // Some other process of the host was killed.
    const well = await endOf('exit 0', 3, 4)
    expect(well).toMatchObject({ how: 'exited', exitCode: 0 })
    expect(well.limit).toBeUndefined()
    expect(well.ofHost).toBeUndefined()
  },
)

test('a cgroup tells its own limit from a host, or a container, without memory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cgroup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const group = makeCgroup(folder, 'slot-1', { memoryBytes: 1, processes: 1 })
  const events = (oom: number, oomKill: number) =>
    writeFileSync(
      join(folder, 'slot-1', 'memory.events'),
      `low 0\nhigh 0\nmax 7\noom ${oom}\noom_kill ${oomKill}\noom_group_kill 0\n`,
    )
  expect(group.outOfMemory()).toBeUndefined()
  events(0, 0)
  expect(group.outOfMemory()).toBeUndefined()
  events(1, 0)
  expect(group.outOfMemory()).toBeUndefined()
  events(1, 2)
  expect(group.outOfMemory()).toBe('own')
  events(0, 2)
  expect(group.outOfMemory()).toBe('host')
})

test('the kernel’s own count is read, and a host without one has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vmstat-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'vmstat')
  writeFileSync(path, 'nr_free_pages 8\noom_kill 12\n')
  expect(oomKills(path)).toBe(12)
  writeFileSync(path, 'nr_free_pages 8\n')
  expect(oomKills(path)).toBe(0)
  expect(oomKills(`${path}-none`)).toBe(0)
})
