import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { artifactFolder } from '../../../gateways/artifacts/folder.ts'
import { packArtifact, type PackedArtifact } from '../../../gateways/artifacts/pack-artifact.ts'
import type { FileChoice } from '../../../gateways/artifacts/select-files.ts'
import type { Workbench } from '../../../gateways/sandbox/workbench.ts'
import { hasBwrap, sh, shellSandbox, why, type ShellSandbox } from '../sandbox/shell-sandbox.ts'

// The system's tar and zstd in the sandbox.
describe.skipIf(!hasBwrap)(`an artifact (${why})`, () => {
  let shell: ShellSandbox
  const folder = mkdtempSync(join(tmpdir(), 'artifacts-test-'))
  const store = artifactFolder(join(folder, 'store'))
  beforeAll(async () => {
    shell = await shellSandbox()
  })
  afterAll(async () => {
    await shell.close()
    await rm(folder, { recursive: true, force: true })
  })

  const committedAt = new Date('2026-03-04T05:06:07Z')
  let count = 0
  const pack = async (
    bench: Workbench,
    { at = 'dist', maxBytes, ...choice }: FileChoice & { at?: string; maxBytes?: number } = {},
  ): Promise<PackedArtifact> => {
    count += 1
    return packArtifact(
      bench,
      { folder: at, committedAt, hostPath: join(folder, `out-${count}`), ...choice },
      { store, organizationId: 7, ...(maxBytes !== undefined && { maxBytes }) },
    )
  }
  const packed = async (script: string, options: Parameters<typeof pack>[1] = {}) => {
    const bench = await shell.open({ sizeBytes: 128 * 1024 * 1024 })
    try {
      const made = await sh(bench, script)
      expect(made.exitCode, made.text).toBe(0)
      return await pack(bench, options)
    } finally {
      await bench.close()
    }
  }
  const fill = `
    mkdir -p a/b; printf one > a/b/one; printf two > Z; printf run > run.sh; chmod +x run.sh
    ln -s a/b/one link; ln -s missing dangling; : > $'f\\xff\\xfe'; : > 'line
break'; long=a/$(printf 'n%.0s' $(seq 1 150)); printf long > $long; mkdir empty`

  test('the same tree gives the same digest: other umask, locale, path, clock, order and rights', async () => {
    const one = await packed(`umask 022; mkdir dist; cd dist; ${fill}`)
    const other = await packed(
      `umask 077; export LC_ALL=C.UTF-8 TZ=Asia/Tokyo; mkdir -p x/y; cd x/y; mkdir empty; printf two > Z
       ${fill.replace('mkdir empty', ':')}
       chmod 666 Z; chmod 775 a; find . -exec touch -h -d 2001-02-03 '{}' +; cat Z >/dev/null; ln Z ../Z2`,
      { at: 'x/y' },
    )
    expect(other).toEqual(one)
    expect(one).toMatchObject({
      entries: 11,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
    for (const change of ['printf tw0 > Z', 'chmod +x Z', 'mv Z z', 'ln -sf Z link', 'rmdir empty'])
      expect((await packed(`mkdir dist; cd dist; ${fill}; ${change}`)).digest, change).not.toBe(
        one.digest,
      )
  })

  test('what is stored is the archive: one time, owner 0, and the digest of what is in it', async () => {
    const made = await packed(`mkdir dist; cd dist; ${fill}`)
    const kept = await store.read(7, made.digest)
    const chunks: Buffer[] = []
    for await (const chunk of kept?.stream ?? []) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    expect([kept?.sizeBytes, bytes.length]).toEqual([made.sizeBytes, made.sizeBytes])
    const list = await piped(bytes, `zstd -dc | TZ=UTC tar --numeric-owner --full-time -tvf -`)
    for (const line of list.trim().split('\n'))
      expect(line).toMatch(
        /^[dl-](?:rwxr-xr-x|rw-r--r--|rwxrwxrwx) 0\/0 +\d+ 2026-03-04 05:06:07 \.\//,
      )
    expect(`sha256:${(await piped(bytes, 'zstd -dc | sha256sum')).slice(0, 64)}`).toBe(
      made.contentDigest,
    )
  })

  test('.git and what is excluded are left out, and are not looked at', async () => {
    const names = async (script: string, choice: FileChoice = {}) => {
      const made = await packed(`mkdir dist; cd dist; ${script}`, choice)
      const chunks: Buffer[] = []
      for await (const chunk of (await store.read(7, made.digest))?.stream ?? []) chunks.push(chunk)
      const list = await piped(Buffer.concat(chunks), 'zstd -dc | tar -tf -')
      expect(list.trim().split('\n')).toHaveLength(made.entries)
      return list.trim().split('\n')
    }
    const source = `mkdir -p .git/hooks a/.git lib; : > .git/config; ln -s /etc/passwd .git/out
      : > a/.git/x; : > a/b.map; : > b.map; : > lib/x.js; : > --help; : > .gitignore; : > '\\012'`
    expect(await names(source)).toEqual(
      ['--help', '.gitignore', '\\\\012', 'a/', 'a/.git/', 'a/.git/x', 'a/b.map', 'b.map']
        .concat(['lib/', 'lib/x.js'])
        .map((name) => `./${name}`),
    )
    const choice = { include: ['a', '**/*.js', '*.map'], exclude: ['**/*.map', 'a/.git/**'] }
    expect(await names(source, choice)).toEqual(['./a/', './lib/x.js'])
    expect(await names('mkdir .git; : > .git/x; : > y')).toEqual(await names(': > y'))
    await expect(packed(`mkdir dist; ${source}`, { include: ['nosuch'] })).rejects.toMatchObject({
      code: 'artifact_refused',
      message: 'The artifact would be empty: its folder has no file that is chosen.',
    })
  })

  test('packed twice in one workbench, it is the same, and nothing is left beside the store', async () => {
    const bench = await shell.open({ sizeBytes: 128 * 1024 * 1024 })
    await sh(bench, `mkdir dist; cd dist; ${fill}`)
    expect(await pack(bench)).toEqual(await pack(bench))
    await bench.close()
    expect(await readdir(folder)).toEqual(['store'])
    expect(await readdir(join(folder, 'store', 'parts'))).toEqual([])
  })

  test.each([
    ['mkfifo pipe', 'artifact_refused', 'a device, pipe or socket: ./pipe'],
    ['printf x > s; chmod u+s s', 'artifact_refused', 'a set-id bit: ./s'],
    ['mkdir d; chmod g+s d', 'artifact_refused', 'a set-id bit: ./d'],
    ['ln -s /etc/passwd out', 'artifact_refused', 'leaves its folder: ./out'],
    ['mkdir d; ln -s ../../x d/out', 'artifact_refused', 'leaves its folder: ./d/out'],
    ['ln -s ../distinct out', 'artifact_refused', 'leaves its folder: ./out'],
    ['truncate -s 9G hole', 'artifact_refused', 'more than 8 GiB unpacked'],
  ])('refused: %s', async (script, code, words) => {
    // A file of 9 GiB without blocks is more than a file may have there.
    const step = script.startsWith('truncate') ? 'ulimit -f unlimited 2>/dev/null;' : ''
    const bench = await shell.open({ sizeBytes: 128 * 1024 * 1024 })
    const made = await sh(bench, `${step} mkdir dist; cd dist; ${script}`, {
      limits: {
        timeoutMs: 20_000,
        silenceMs: 20_000,
        memoryBytes: 2 ** 28,
        processes: 64,
        fileSizeBytes: 2 ** 40,
      },
    })
    expect(made.exitCode, made.text).toBe(0)
    await expect(pack(bench)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    })
    await bench.close()
  })

  test('refused: a folder that is a link, and one that is not there', async () => {
    const bench = await shell.open()
    await sh(bench, 'ln -s /usr dist')
    await expect(pack(bench)).rejects.toThrow()
    await expect(pack(bench, { at: 'nosuch' })).rejects.toThrow()
    await bench.close()
  })

  test('more than is kept: an error that says how much, and nothing is stored', async () => {
    const before = (await readdir(join(folder, 'store', '7', 'sha256'))).length
    await expect(
      packed('mkdir dist; head -c 8M /dev/urandom > dist/noise', { maxBytes: 4 * 1024 * 1024 }),
    ).rejects.toMatchObject({
      code: 'artifact_too_large',
      message: 'The artifact is larger than 4 MiB, which is the most that is kept.',
    })
    expect((await readdir(join(folder, 'store', '7', 'sha256'))).length).toBe(before)
  })
})

const piped = async (input: Buffer, command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile('sh', ['-c', command], (error, out) =>
      error ? reject(error) : resolve(out),
    )
    child.stdin?.end(input)
  })
