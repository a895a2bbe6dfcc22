import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import {
  chmod,
  mkdir,
  open,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { artifactFolder } from '../../../gateways/artifacts/folder.ts'
import { isOfLiving, partName } from '../../../gateways/artifacts/part-name.ts'

describe('artifacts in a folder', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'artifact-folder-'))
  })
  afterEach(async () => rm(root, { recursive: true, force: true }))

  const bytes = Buffer.from('an artifact'.repeat(10_000))
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const maxBytes = 1024 * 1024
  const inPieces = async function* (whole = bytes) {
    for (let at = 0; at < whole.length; at += 1_000) yield whole.subarray(at, at + 1_000)
  }
  const readAll = async (organizationId: number, name = digest) => {
    const found = await artifactFolder(root).read(organizationId, name)
    if (!found) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of found.stream) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  const place = () => join(root, '7', 'sha256', digest.slice(7, 9), digest.slice(7))

  test('what was put is read, under its digest, and of its organization alone', async () => {
    const store = artifactFolder(root)
    const stored = { digest, sizeBytes: bytes.length }
    expect(await store.put(7, inPieces(), { maxBytes })).toEqual(stored)
    expect(await readAll(7)).toEqual(bytes)
    expect(await readAll(8)).toBeUndefined()
    expect((await stat(place())).mode & 0o777).toBe(0o400)
    await store.remove(7, digest)
    await store.remove(7, digest)
    expect(await readAll(7)).toBeUndefined()
  })

  test('a file is moved to its place; one too long, ended or not claimed leaves nothing', async () => {
    const store = artifactFolder(root)
    const path = join(root, 'built')
    await writeFile(path, bytes)
    const { ino } = await stat(path)
    expect(await store.putFile(7, path, { maxBytes })).toEqual({ digest, sizeBytes: bytes.length })
    expect(await readAll(7)).toEqual(bytes)
    expect(await stat(place())).toMatchObject({ ino })
    expect((await stat(place())).mode & 0o777).toBe(0o400)
    await store.remove(7, digest)
    const claim = async () => {
      throw new Error('being removed')
    }
    for (const [options, words] of [
      [{ maxBytes: 5_000 }, 'larger than'],
      [{ maxBytes, signal: AbortSignal.abort(new Error('canceled')) }, 'canceled'],
      [{ maxBytes, claim }, 'being removed'],
    ] as const) {
      await writeFile(path, bytes)
      await expect(store.putFile(7, path, options)).rejects.toThrow(words)
      expect(await readAll(7)).toBeUndefined()
      expect(await readdir(join(root, 'parts'))).toEqual([])
      expect(await readdir(root)).not.toContain('built')
    }
    await symlink('/etc/hostname', path)
    await expect(store.putFile(7, path, { maxBytes })).rejects.toThrow()
    expect(await readdir(join(root, 'parts'))).toEqual([])
  })

  test('a file of another disk is copied to its place', async () => {
    const away = mkdtempSync('/dev/shm/artifact-file-')
    const path = join(away, 'built')
    await writeFile(path, bytes)
    const stored = await artifactFolder(root).putFile(7, path, { maxBytes })
    expect(stored).toEqual({ digest, sizeBytes: bytes.length })
    expect(await readAll(7)).toEqual(bytes)
    expect(await readdir(away)).toEqual([])
    await rm(away, { recursive: true })
  })

  test('the same bytes by several at once are one file', async () => {
    const store = artifactFolder(root)
    const puts = Array.from({ length: 8 }, async () => store.put(7, inPieces(), { maxBytes }))
    expect(new Set((await Promise.all(puts)).map((one) => one.digest))).toEqual(new Set([digest]))
    expect(await readdir(join(root, 'parts'))).toEqual([])
    expect(await readAll(7)).toEqual(bytes)
  })

  test('a stream that fails, is too long or is ended leaves nothing', async () => {
    const store = artifactFolder(root)
    const failing = async function* () {
      yield bytes
      throw new Error('the build went away')
    }
    await expect(store.put(7, failing(), { maxBytes })).rejects.toThrow('the build went away')
    await expect(store.put(7, inPieces(), { maxBytes: 5_000 })).rejects.toMatchObject({
      code: 'artifact_too_large',
    })
    const signal = AbortSignal.abort(new Error('canceled'))
    await expect(store.put(7, inPieces(), { maxBytes, signal })).rejects.toThrow('canceled')
    expect(await readdir(root)).toEqual(['parts'])
    expect(await readdir(join(root, 'parts'))).toEqual([])
  })

  test('other bytes at the place fail at the end, and the next put replaces them', async () => {
    const store = artifactFolder(root)
    await store.put(7, inPieces(), { maxBytes })
    await chmod(place(), 0o600)
    await writeFile(place(), Buffer.alloc(bytes.length, 'x'))
    await expect(readAll(7)).rejects.toMatchObject({ code: 'artifact_damaged' })
    await store.put(7, inPieces(), { maxBytes })
    expect(await readAll(7)).toEqual(bytes)
    await chmod(place(), 0o600)
    await truncate(place(), 100)
    await store.put(7, inPieces(), { maxBytes })
    expect(await readAll(7)).toEqual(bytes)
  })

  test('of many ranges at once one reads the whole file; a fault is found by all, and looked for again', async () => {
    const store = artifactFolder(root)
    await store.put(7, inPieces(), { maxBytes })
    const handle = await open(place())
    const streams = vi.spyOn(Object.getPrototypeOf(handle), 'createReadStream')
    await handle.close()
    const wholeReads = () =>
      streams.mock.calls.filter(([options]) => !Object.hasOwn(options as object, 'end')).length
    const ranges = async () =>
      Promise.allSettled(
        Array.from({ length: 50 }, async (_, at) => {
          const found = await store.read(7, digest, { first: at, last: at + 9 })
          const chunks: Buffer[] = []
          for await (const chunk of found?.stream ?? []) chunks.push(chunk)
          expect(Buffer.concat(chunks)).toEqual(bytes.subarray(at, at + 10))
        }),
      )
    try {
      expect((await ranges()).filter(({ status }) => status === 'rejected')).toEqual([])
      expect(wholeReads()).toBe(1)
      await ranges()
      expect(wholeReads()).toBe(1)
      await chmod(place(), 0o600)
      await writeFile(place(), Buffer.alloc(bytes.length, 'x'))
      for (const reads of [2, 3]) {
        const ends = await ranges()
        expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(
          Array.from({ length: 50 }, () => 'artifact_damaged'),
        )
        expect(wholeReads()).toBe(reads)
      }
    } finally {
      streams.mockRestore()
    }
  })

  test('what is no digest is no path; a link at the place is not followed', async () => {
    const store = artifactFolder(root)
    for (const wrong of ['sha256:../../../etc/passwd', 'sha256:', '../x', `${digest}0`])
      await expect(store.read(7, wrong), wrong).rejects.toMatchObject({ code: 'invalid' })
    await expect(store.read(Number.NaN, digest)).rejects.toMatchObject({ code: 'invalid' })
    await mkdir(join(place(), '..'), { recursive: true })
    await symlink('/etc/passwd', place())
    await expect(store.read(7, digest)).rejects.toMatchObject({
      code: 'artifact_store_unavailable',
    })
  })

  test('a folder that cannot be used is unavailable, so the activity is tried again', async () => {
    await writeFile(join(root, 'parts'), 'no folder')
    await expect(artifactFolder(root).put(7, inPieces(), { maxBytes })).rejects.toMatchObject({
      fault: 'unavailable',
    })
  })

  test('old parts of processes that are dead are removed, others stay', async () => {
    await mkdir(join(root, 'parts'))
    const own = await partName()
    // Of the process before this one: in a container it had the same number.
    const former = `${process.pid}-1-aa`
    const old = Date.now() / 1_000 - 7 * 3_600
    for (const name of [own, former, `${process.pid}-aa`, '999999999-2-bb', 'odd']) {
      await writeFile(join(root, 'parts', name), '')
      await utimes(join(root, 'parts', name), old, old)
    }
    await writeFile(join(root, 'parts', '999999999-2-young'), '')
    expect(await artifactFolder(root).removeParts()).toBe(4)
    expect((await readdir(join(root, 'parts'))).toSorted()).toEqual(
      ['999999999-2-young', own].toSorted(),
    )
    expect(await artifactFolder(join(root, 'nosuch')).removeParts()).toBe(0)
  })

  test('what is written bears the name of this process, so another one leaves it alone', async () => {
    let names: string[] = []
    const claim = async () => {
      names = await readdir(join(root, 'parts'))
    }
    await artifactFolder(root).put(7, inPieces(), { maxBytes, claim })
    expect(await Promise.all(names.map(async (name) => isOfLiving(name)))).toEqual([true])
  })
})
