import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { checkPack, packLimits } from '../../../gateways/git/check-pack.ts'

const tooLarge = expect.objectContaining({ fault: 'conflict', code: 'git_repository_too_large' })

/** The header of an object: its type and its claimed size (gitformat-pack). */
function headerOf(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}

function packOf(objects: readonly Buffer[], count = objects.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(count, 8)
  return Buffer.concat([head, ...objects, Buffer.alloc(20)])
}

/** The pack as a host sends it, in lines of side-band 1 (gitprotocol-pack). */
function answerOf(pack: Buffer): Buffer {
  const lines: Buffer[] = [Buffer.from('0008NAK\n')]
  for (let at = 0; at < pack.length; at += 60_000) {
    const part = pack.subarray(at, at + 60_000)
    lines.push(Buffer.from(`${(part.length + 5).toString(16).padStart(4, '0')}\x01`), part)
  }
  return Buffer.concat([...lines, Buffer.from('0000')])
}

const blob = (content: Buffer, claimed = content.length): Buffer =>
  Buffer.concat([headerOf(3, claimed), deflateSync(content)])

test('a pack by git passes, with its deltas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-pack-'))
  const given = ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@x']
  const run = (...args: string[]) => execFileSync('git', [...given, ...args])
  try {
    run('init', '-q')
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`)
    for (let at = 0; at < 5; at += 1) {
      writeFileSync(join(folder, `f${at}`), [...lines, `${at}\n`].join(''))
      run('add', '-A')
      run('commit', '-qm', `${at}`)
    }
    const packing = ['pack-objects', '--revs', '--delta-base-offset', '--stdout', '-q']
    const pack = execFileSync('git', [...given, ...packing], { input: 'HEAD\n' })
    checkPack(answerOf(pack))
    checkPack(Buffer.concat([Buffer.from('0008NAK\n'), pack]))
    expect(() => checkPack(answerOf(pack), { ...packLimits, objects: 5 })).toThrow(tooLarge)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('an object that unpacks to more than its claimed size, or claims too much, is refused before the library reads it', () => {
  const bomb = Buffer.alloc(16 * 1_048_576)
  expect(() => checkPack(answerOf(packOf([blob(bomb, 10)])))).toThrow()
  expect(() => checkPack(answerOf(packOf([blob(bomb, 2 ** 40)])))).toThrow(tooLarge)
  const limits = { ...packLimits, unpackedBytes: 40 * 1_048_576 }
  const some = answerOf(packOf([blob(bomb)]))
  checkPack(some, limits)
  const many = answerOf(packOf([blob(bomb), blob(bomb), blob(bomb)]))
  expect(() => checkPack(many, limits)).toThrow(tooLarge)
})

test('a small delta that expands to 1 GiB is refused by its claimed size', () => {
  const base = blob(Buffer.alloc(1_000))
  // The sizes of base and target, little-endian in groups of seven bits: 1,000 and 2^30.
  const delta = Buffer.from([0xe8, 0x07, 0x80, 0x80, 0x80, 0x80, 0x04, 0x80])
  const back = 12 + base.length - 12
  const offset =
    back < 128 ? Buffer.from([back]) : Buffer.from([0x80 | ((back >> 7) - 1), back & 127])
  const object = Buffer.concat([headerOf(6, delta.length), offset, deflateSync(delta)])
  expect(() => checkPack(answerOf(packOf([base, object])))).toThrow(tooLarge)
})

test('a delta whose base is not an object of the pack is refused, because the base was not checked', () => {
  // An uncompressed object inside another object. The library would read it from any offset.
  const hidden = blob(Buffer.alloc(1_000))
  const carrier = Buffer.concat([headerOf(3, hidden.length), deflateSync(hidden, { level: 0 })])
  const delta = Buffer.from([0xe8, 0x07, 0xe8, 0x07, 0xb0, 0xe8, 0x03])
  const back = hidden.length + 4
  const object = Buffer.concat([
    headerOf(6, delta.length),
    back < 128 ? Buffer.from([back]) : Buffer.from([0x80 | ((back >> 7) - 1), back & 127]),
    deflateSync(delta),
  ])
  expect(() => checkPack(answerOf(packOf([carrier, object])))).toThrow('has no base')
})

test('a pack with fewer objects than it claims, and other bytes, are refused', () => {
  expect(() => checkPack(answerOf(packOf([], 100)))).toThrow()
  checkPack(Buffer.from('0008NAK\n0000'))
  checkPack(Buffer.from('<h1>Sign in</h1>'))
})
