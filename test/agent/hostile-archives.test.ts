import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpackArchive } from '../../agent/archive/unpack-archive.ts'
import { agentHost } from '../harness/agents/agent-host.ts'
import { compressed, makeArtifact } from '../harness/agents/make-artifact.ts'

/** Each makes one archive with Python's tarfile: `t` is the archive, `add(name, …)` adds an entry. */
const refused: Record<string, [script: string, why: RegExp]> = {
  'an absolute path': ['add("/etc/owned")', /absolute path/],
  'an absolute path behind a dot': ['add(".//etc/owned")', /no plain path|absolute/],
  'a path with ..': ['add("a/../../owned")', /leaves the folder/],
  'only ..': ['add("..", type=tarfile.DIRTYPE)', /leaves the folder/],
  'an empty part': ['add("a//b")', /no plain path/],
  'a link to an absolute path': [
    'add("l", type=tarfile.SYMTYPE, link="/etc/passwd")',
    /link that leaves/,
  ],
  'a link up and out': ['add("l", type=tarfile.SYMTYPE, link="../../etc")', /link that leaves/],
  'a link out by a folder': [
    'add("d/l", type=tarfile.SYMTYPE, link="../../x")',
    /link that leaves/,
  ],
  'links that leave together': [
    'add("d/e/p", type=tarfile.SYMTYPE, link="../.."); add("q", type=tarfile.SYMTYPE, link="d/e/p/../x")',
    /link that leaves/,
  ],
  'links in a circle': [
    'add("a", type=tarfile.SYMTYPE, link="b"); add("b", type=tarfile.SYMTYPE, link="a")',
    /circle/,
  ],
  'a file through a link of the archive': [
    'add("d", type=tarfile.SYMTYPE, link="/tmp"); add("d/owned")',
    /twice|link/,
  ],
  'a file through a link that stays inside': [
    'add("e", type=tarfile.DIRTYPE); add("d", type=tarfile.SYMTYPE, link="e"); add("d/f")',
    /twice/,
  ],
  'a link in place of a folder': ['add("d/f"); add("d", type=tarfile.SYMTYPE, link="e")', /twice/],
  'a file over a file': ['add("f"); add("f", data=b"other")', /twice/],
  'a file over a link': ['add("f", type=tarfile.SYMTYPE, link="g"); add("f")', /twice/],
  'a file below a file': ['add("f"); add("f/g")', /twice/],
  'a link twice': [
    'add("f", type=tarfile.SYMTYPE, link="g"); add("f", type=tarfile.SYMTYPE, link="h")',
    /twice/,
  ],
  'a hard link': ['add("f"); add("g", type=tarfile.LNKTYPE, link="f")', /hard link/],
  'a hard link out': ['add("g", type=tarfile.LNKTYPE, link="/etc/passwd")', /hard link/],
  'a character device': ['add("d", type=tarfile.CHRTYPE)', /device/],
  'a block device': ['add("d", type=tarfile.BLKTYPE)', /device/],
  'a pipe': ['add("p", type=tarfile.FIFOTYPE)', /pipe/],
  'a contiguous file': ['add("c", type=tarfile.CONTTYPE)', /unknown kind/],
  setuid: ['add("f", mode=0o4755)', /set-id/],
  'setgid of a folder': ['add("d", type=tarfile.DIRTYPE, mode=0o2755)', /set-id/],
  'a name that is too long': ['add("n" * 256)', /too long/],
  'a path that is too long': ['add("/".join(["d" * 200] * 20))', /too long/],
  'more entries than allowed': ['[add("f%d" % n) for n in range(201)]', /more than 200 entries/],
  'more bytes than allowed': ['add("big", data=bytes(1_000_001))', /more than 1000000 bytes/],
  'a bomb of zeros': ['add("zeros", data=bytes(20_000_000))', /more than|larger than/],
  'a size that is a lie': [
    'add("f", data=b"x" * 2000); lie(0, 124, b"00000000010\\0")',
    /checksum|damaged|other|twice|end/,
  ],
  'another checksum': ['add("f"); lie(0, 0, b"g")', /checksum/],
  'no end': ['add("f", data=b"x" * 5000); cut(2000)', /no end/],
  'something after the end': ['add("f"); after(b"x" * 512)', /follows the end|checksum|damaged/],
  'a global header that names files': [
    't.pax_headers = {"path": "/etc/owned"}; glob({"path": "/etc/owned"}); add("f")',
    /global header/,
  ],
  'a file with holes': [
    'add("f", pax={"GNU.sparse.major": "1", "GNU.sparse.minor": "0"})',
    /holes/,
  ],
  'a pax header that is damaged': [
    'add("f", pax={"comment": "x"}); damage()',
    /pax header|checksum/,
  ],
}

const python = `
import io, sys, tarfile
out = io.BytesIO()
t = tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT)
edits = []
def add(name, type=tarfile.REGTYPE, data=b"", mode=0o644, link="", pax=None):
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.linkname, info.size, info.pax_headers = type, mode, link, len(data), pax or {}
    t.addfile(info, io.BytesIO(data))
def lie(block, at, value): edits.append(("lie", block * 512 + at, value))
def cut(length): edits.append(("cut", length, b""))
def after(data): edits.append(("after", 0, data))
def damage(): edits.append(("damage", 0, b""))
def glob(headers):
    t.fileobj.write(tarfile.TarInfo.create_pax_global_header(headers)); t.offset = t.fileobj.tell()
exec(sys.argv[1])
t.close()
b = bytearray(out.getvalue())
for kind, at, value in edits:
    if kind == "lie": b[at:at + len(value)] = value
    if kind == "cut": del b[at:]
    if kind == "after": b += value
    if kind == "damage": b[512:514] = b"99"
open(sys.argv[2], "wb").write(b)
`

describe('archives', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cc-archives-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  let made = 0
  const archive = (script: string) => {
    const tar = join(folder, `${(made += 1)}.tar`)
    execFileSync('python3', ['-c', python, script, tar])
    return compressed(tar)
  }
  const limits = { bytes: 1_000_000, entries: 200 }
  const never = new AbortController().signal
  const unpack = async (path: string, to = join(folder, `to-${(made += 1)}`)) => ({
    to,
    ...(await unpackArchive(path, to, { signal: never, limits })),
  })

  for (const [name, [script, why]] of Object.entries(refused))
    test(`refused: ${name}`, async () => {
      const { path } = archive(script)
      const to = join(folder, `refused-${(made += 1)}`)
      const error = await unpack(path, to).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toMatchObject({ code: 'archive_refused', message: expect.stringMatching(why) })
      // What was written is below the folder, and no link was made.
      for (const entry of readdirSync(to, { recursive: true, withFileTypes: true }))
        expect(entry.isFile() || entry.isDirectory()).toBe(true)
      expect(existsSync('/etc/owned') || existsSync('/tmp/owned')).toBe(false)
    })

  test('refused: no zstd, half of it, and a frame that asks for much memory', async () => {
    const { path } = archive('add("f", data=b"some text " * 1000)')
    const bytes = readFileSync(path)
    for (const [name, other] of Object.entries({
      text: Buffer.from('no archive'),
      half: bytes.subarray(0, bytes.length - 20),
      empty: Buffer.alloc(0),
    })) {
      writeFileSync(join(folder, name), other)
      await expect(unpack(join(folder, name))).rejects.toMatchObject({ code: 'archive_refused' })
    }
    const long = join(folder, 'long.tar')
    writeFileSync(join(folder, 'random'), randomBytes(20_000_000))
    execFileSync('tar', ['--create', '--file', long, '-C', folder, 'random'])
    execFileSync('zstd', ['-q', '-1', '--long=27', long])
    await expect(unpack(`${long}.zst`)).rejects.toMatchObject({ code: 'archive_refused' })
  })

  test('what the service packs comes out as it went in: names of any bytes, links, rights, times', async () => {
    const built = makeArtifact(mkdtempSync(join(folder, 'good-')), {
      'a/b/c.txt': 'text',
      'hooks/install': '#!/bin/sh\n',
      [`${'long/'.repeat(40)}name`]: 'deep',
      'ü/ñ.txt': 'names',
      empty: '',
    })
    const { to, contentDigest, entries } = await unpack(built.path)
    expect(contentDigest).toBe(built.contentDigest)
    expect(entries).toBeGreaterThan(40)
    expect(readFileSync(join(to, 'a/b/c.txt'), 'utf8')).toBe('text')
    expect(readFileSync(join(to, 'ü/ñ.txt'), 'utf8')).toBe('names')
    expect(readFileSync(join(to, `${'long/'.repeat(40)}name`), 'utf8')).toBe('deep')
    expect(lstatSync(join(to, 'hooks/install')).mode & 0o777).toBe(0o755)
    expect(lstatSync(join(to, 'a/b/c.txt')).mode & 0o777).toBe(0o644)
    expect(lstatSync(join(to, 'a/b/c.txt')).mtimeMs).toBe(1_700_000_000_000)
  })

  test('names that are no UTF-8, links that stay inside, and GNU’s long names', async () => {
    const tar = join(folder, 'bytes.tar')
    const script = `cd "$1" && mkdir -p d/e && printf x > "$(printf 'd/\\377\\376')" && ln -s ../d/e d/inside && ln -s nowhere dangling && ln -s . self && tar --create --file="$0" --format=gnu --owner=0 --group=0 ./d ./dangling ./self`
    execFileSync('sh', ['-ec', script, tar, mkdtempSync(join(folder, 'bytes-'))])
    const { to } = await unpack(compressed(tar).path)
    const names = readdirSync(Buffer.from(join(to, 'd')), { encoding: 'buffer' })
    expect(names.some((name) => name.equals(Buffer.from([0xff, 0xfe])))).toBe(true)
    expect(lstatSync(join(to, 'd/inside')).isSymbolicLink()).toBe(true)
    expect(lstatSync(join(to, 'self')).isSymbolicLink()).toBe(true)
  })

  test('an agent that is given one refuses it, in words, and leaves nothing', async () => {
    const host = await agentHost()
    try {
      host.start()
      const built = archive(
        'add("hooks/install", data=b"#!/bin/sh\\n", mode=0o755); add("l", type=tarfile.SYMTYPE, link="/etc")',
      )
      const given = host.give('deploy', built, { hooks: ['install'] })
      expect(await host.resultOf(given)).toMatchObject({
        ok: false,
        refused: true,
        message: expect.stringMatching(/^archive_refused: "l" is a link that leaves/),
      })
      expect(readdirSync(join(host.dir, 'releases'))).toEqual([])
      expect(readdirSync(join(host.dir, 'downloads'))).toEqual([])
      expect(host.trace()).toEqual([])
    } finally {
      await host.close()
    }
  })
})
