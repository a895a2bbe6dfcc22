import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { claimName } from '../../../gateways/sandbox/claim-name.ts'
import { claimSlot } from '../../../gateways/sandbox/claim-slot.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const base = mkdtempSync(join(tmpdir(), 'claims-'))
let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(base, 'f-')), 'slots')
})
afterAll(() => rmSync(base, { recursive: true }))

test('a name has one holder at a time, also within a process, and is free once released', async () => {
  const first = await claimName(folder, '1')
  expect(first).toBeDefined()
  expect(await claimName(folder, '1')).toBeUndefined()
  const other = await claimName(folder, '2')
  expect(other).toBeDefined()
  // 1 does not match 11 by its prefix.
  expect(await claimName(folder, '11')).toBeDefined()
  first?.release()
  expect(await claimName(folder, '1')).toBeDefined()
  expect(await claimName(folder, '2')).toBeUndefined()
})

test('a claim ends when its process is killed, and the next claim removes its path', async () => {
  const holder = start(['1', 'hold'])
  const [said] = await once(holder.stdout as Readable, 'data')
  expect(String(said)).toBe('held\n')
  expect(await claimName(folder, '1')).toBeUndefined()
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  expect(readdirSync(folder)).toHaveLength(1)
  expect(await claimName(folder, '1')).toBeDefined()
  expect(readdirSync(folder)).toHaveLength(1)
})

test('of several processes that claim and release repeatedly, two never hold the name at once', async () => {
  const claimants = Array.from({ length: 4 }, () => start(['1', 'race']))
  const held = await Promise.all(
    claimants.map(async (child) => {
      const [said, errors] = await Promise.all([
        text(child.stdout as Readable),
        text(child.stderr as Readable),
      ])
      expect(errors).toBe('')
      return Number(said)
    }),
  )
  expect(held.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20)
  expect(readdirSync(folder)).toEqual([])
})

test('a path longer than the limit of a socket', async () => {
  const deep = join(folder, 'x'.repeat(120), 'slots')
  const claim = await claimName(deep, '1')
  expect(claim).toBeDefined()
  expect(await claimName(deep, '1')).toBeUndefined()
  claim?.release()
  expect(readdirSync(deep)).toEqual([])
})

test('a folder that other users may enter is refused, and the error names the remedy', async () => {
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  await expect(claimName(folder, '1')).rejects.toThrow(/chmod 700/)
})

test.skipIf(!isRoot)('another user of the host cannot claim a slot', async () => {
  // Earlier versions used abstract socket names, on which any user could listen.
  const script = `
    const { createServer } = require('node:net')
    const { writeFileSync } = require('node:fs')
    let left = 900
    for (let n = 1; n <= 900; n += 1)
      createServer().on('error', () => tried()).listen('\\0cloud-control-slot-' + n, () => tried())
    function tried() {
        if (--left === 0) {
          let planted = 'planted'
          try { writeFileSync('/run/cloud-control/slots/1.planted', '') } catch (error) { planted = error.code }
          console.log(planted)
        }
      }`
  const user = spawn(process.execPath, ['-e', script], {
    uid: 63_998,
    gid: 63_998,
    env: {},
    cwd: '/',
  })
  const first = await claimSlot(base)
  const [said] = await once(user.stdout, 'data')
  expect(String(said)).toBe('EACCES\n')
  const second = await claimSlot(base)
  expect(second.number).not.toBe(first.number)
  first.release()
  second.release()
  user.kill('SIGKILL')
})

function start([name, how]: [string, string]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'claimant.ts'), folder, name, how], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
