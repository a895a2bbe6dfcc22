import { lstat, link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messageOfUnusableFile } from '../../../gateways/sandbox/unusable-file.ts'
import { insideFolder, type InsideFolder } from '../../../gateways/sandbox/inside-folder.ts'

// The attacker is a step: it leaves special files in its folder, which the worker reads and writes
// as root.
describe('read and write in a folder of an untrusted step', () => {
  let outside: string
  let root: string
  let files: InsideFolder
  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'outside-'))
    root = join(outside, 'slot')
    await mkdir(root)
    await writeFile(join(outside, 'secret'), 'of the host')
    files = insideFolder(root, undefined)
  })
  afterAll(() => rm(outside, { recursive: true, force: true }))

  test('a written file is read, and a missing file is undefined', async () => {
    await files.makeFolder('a/b')
    await files.write('a/b/c.txt', 'content')
    expect(String(await files.read('a/b/c.txt', 7))).toBe('content')
    expect((await lstat(join(root, 'a/b/c.txt'))).mode & 0o777).toBe(0o600)
    expect(await files.read('a/none', 7)).toBeUndefined()
    expect(await files.read('none/none', 7)).toBeUndefined()
  })

  test.each(['../secret', '/etc/passwd', 'a/../../secret', 'a/\0b', '', '.'])(
    'a path that leaves the folder is refused: %j',
    async (path) => {
      await expect(files.read(path, 99)).rejects.toMatchObject({ fault: 'invalid' })
      await expect(files.write(path, 'x')).rejects.toMatchObject({ fault: 'invalid' })
    },
  )

  test('a symbolic link is never followed in any part of the path', async () => {
    await symlink(join(outside, 'secret'), join(root, 'file-link'))
    await symlink(outside, join(root, 'folder-link'))
    await expect(files.read('file-link', 99)).rejects.toMatchObject({
      fault: 'invalid',
      message: "file-link is a symbolic link; a run's own files must be regular files",
    })
    // The error names the linked part, not the whole path.
    const folderLink = {
      fault: 'invalid',
      message: "folder-link is a symbolic link; a run's own folders must be folders",
    }
    await expect(files.read('folder-link/secret', 99)).rejects.toMatchObject(folderLink)
    await expect(files.write('folder-link/planted', 'x')).rejects.toMatchObject(folderLink)
    await expect(files.makeFolder('folder-link/planted')).rejects.toMatchObject(folderLink)
    await expect(files.requireFolder('folder-link')).rejects.toMatchObject(folderLink)
    // A link in place of a file to write is replaced, and its target is not changed.
    await files.write('file-link', 'mine')
    expect(String(await insideFolder(outside, undefined).read('secret', 99))).toBe('of the host')
    expect(String(await files.read('file-link', 99))).toBe('mine')
  })

  test('a hard link, a pipe and a folder are refused', async () => {
    await link(join(outside, 'secret'), join(root, 'hard-link'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    for (const [path, kind] of [
      ['hard-link', 'a hard link'],
      ['pipe', 'a named pipe'],
      ['a', 'a folder'],
    ] as const)
      await expect(files.read(path, 99)).rejects.toMatchObject({
        fault: 'invalid',
        message: `${path} is ${kind}; a run's own files must be regular files`,
      })
    await expect(files.read('pipe/x', 99)).rejects.toMatchObject({
      message: "pipe is a named pipe; a run's own folders must be folders",
    })
    await expect(files.write('a', 'x')).rejects.toMatchObject({
      message: "a is a folder; a run's own files must be regular files",
    })
  })

  test('an error names a path of the configuration as its author wrote it', async () => {
    await files.makeFolder('config/infra')
    await symlink('/etc/passwd', join(root, 'config/infra/.terraform.lock.hcl'))
    const error: unknown = await files
      .read('config/infra/.terraform.lock.hcl', 99)
      .catch((thrown: unknown) => thrown)
    expect(messageOfUnusableFile(error)).toBe(
      "infra/.terraform.lock.hcl is a symbolic link; a run's own files must be regular files",
    )
    expect(messageOfUnusableFile(new Error('config/x'))).toBeUndefined()
  })

  test('a file above the size limit is refused, also a sparse file', async () => {
    await writeFile(join(root, 'large'), 'x'.repeat(100))
    await expect(files.read('large', 99)).rejects.toMatchObject({
      fault: 'too_large',
      message: 'large is larger than 99 bytes',
    })
    execFileSync('truncate', ['-s', '1T', join(root, 'sparse')])
    await expect(files.read('sparse', 99)).rejects.toMatchObject({ fault: 'too_large' })
  })
})
