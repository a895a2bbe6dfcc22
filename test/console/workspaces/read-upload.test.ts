import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readUpload } from '../../../console/src/workspaces/upload/read-upload.ts'
import { tarEntry, tarOf, zipOf } from './archives.ts'

const blob = (path: string, content: string | Uint8Array<ArrayBuffer>) => ({
  path,
  file: new Blob([content]),
})
const read = async (path: string, content: string | Uint8Array<ArrayBuffer>, folder = '') =>
  readUpload([blob(path, content)], folder)

describe('an upload', () => {
  test('single files, and those of a folder without the folder', async () => {
    expect((await read('main.tf', '# a')).files).toEqual({ 'main.tf': '# a' })
    const folder = [blob('net/main.tf', '# a'), blob('net/modules/x/x.tf', '# x')]
    expect((await readUpload(folder, '')).files).toEqual({
      'main.tf': '# a',
      'modules/x/x.tf': '# x',
    })
  })

  test('the folder that the workspace works in stays', async () => {
    expect((await read('envs/prod/main.tf', '# a', 'envs/prod')).files).toEqual({
      'envs/prod/main.tf': '# a',
    })
  })

  test('what is not of the workspace is left out and named', async () => {
    const { files, left } = await readUpload(
      [
        blob('main.tf', '# a'),
        blob('.git/config', 'x'),
        blob('.terraform/x', 'x'),
        blob('terraform.tfstate', '{}'),
        blob('logo.png', new Uint8Array([137, 80, 78, 71, 0])),
        blob('latin.txt', new Uint8Array([0xe4, 0x20])),
        blob('.terraform.lock.hcl', '# lock'),
      ],
      '',
    )
    expect(Object.keys(files)).toEqual(['main.tf', '.terraform.lock.hcl'])
    expect(left.map(({ path }) => path)).toEqual([
      '.git/config',
      '.terraform/x',
      'terraform.tfstate',
      'logo.png',
      'latin.txt',
    ])
  })

  test('more than 10 MiB or 1,000 files are refused', async () => {
    await expect(read('a.tf', '#'.repeat(10 * 1_048_576 + 1))).rejects.toThrow('10 MiB')
    const many = Array.from({ length: 1_001 }, (_, at) => blob(`${at}.tf`, ''))
    await expect(readUpload(many, '')).rejects.toThrow('1,000 files')
  })
})

describe('a ZIP archive', () => {
  test('its files, packed and stored; folders and links are no files', async () => {
    const archive = zipOf([
      { path: 'top/', text: '', stored: true },
      { path: 'top/main.tf', text: '# a\n'.repeat(50) },
      { path: 'top/ä.tf', text: '# b', stored: true },
      { path: 'top/link.tf', text: '/etc/passwd', mode: 0o120_777 },
    ])
    const { files, left } = await read('a.zip', archive)
    expect(files).toEqual({ 'main.tf': '# a\n'.repeat(50), 'ä.tf': '# b' })
    expect(left).toEqual([{ path: 'top/link.tf', why: 'a link' }])
  })

  test('a small archive of a large file stops at the limit', async () => {
    const bomb = zipOf([{ path: 'a.tf', text: '#'.repeat(64 * 1_048_576), size: 10 }])
    expect(bomb.length).toBeLessThan(100_000)
    await expect(read('a.zip', bomb)).rejects.toThrow('10 MiB')
  })

  test('cut off anywhere it is refused with words', async () => {
    const whole = zipOf([{ path: 'main.tf', text: '# some text' }])
    for (let length = 0; length < whole.length; length += 1)
      await expect(read('a.zip', whole.slice(0, length)), `${length} bytes`).rejects.toThrow(
        'cannot be read',
      )
  })

  test('any byte that is another one gives the files, or words', async () => {
    const whole = zipOf([{ path: 'main.tf', text: '# some text of a file' }])
    for (const [at] of whole.entries()) {
      const changed = whole.slice()
      changed[at] = (changed[at] ?? 0) ^ 0xff
      await read('a.zip', changed).catch((error: unknown) => {
        expect(String(error), `byte ${at}`).toMatch(/cannot be read|10 MiB/)
      })
    }
  })
})

describe('a tar archive', () => {
  test('its files, with long names of both kinds; links are left out', async () => {
    const [long, pax] = [`${'a'.repeat(120)}.tf`, `${'b'.repeat(120)}.tf`]
    const record = (length: number) => `${length} path=${pax}\n`
    const archive = tarOf([
      tarEntry('main.tf', '# a'),
      tarEntry('././@LongLink', `${long}\0`, 'L'),
      tarEntry('cut', '# long'),
      tarEntry('PaxHeader', record(record(100).length), 'x'),
      tarEntry('cut', '# pax'),
      tarEntry('link.tf', '', '2'),
      tarEntry('folder', '', '5'),
    ])
    for (const [name, bytes] of [
      ['a.tar', archive],
      ['a.tar.gz', new Uint8Array(gzipSync(archive))],
      ['a.tgz', new Uint8Array(gzipSync(archive))],
    ] as const) {
      const { files, left } = await read(name, bytes)
      expect(files, name).toEqual({ 'main.tf': '# a', [long]: '# long', [pax]: '# pax' })
      expect(left).toEqual([{ path: 'link.tf', why: 'a link or a device' }])
    }
  })

  test('a wrong checksum, a file that is cut off and a gzip bomb are refused', async () => {
    const wrong = tarOf([tarEntry('main.tf', '# a')])
    wrong[0] = 120
    await expect(read('a.tar', wrong)).rejects.toThrow('cannot be read')
    const cut = tarOf([tarEntry('main.tf', '#'.repeat(5_000))]).slice(0, 2_000)
    await expect(read('a.tar', cut)).rejects.toThrow('cannot be read')
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1_048_576, '#')))
    await expect(read('a.tgz', bomb)).rejects.toThrow('10 MiB')
    await expect(read('a.tgz', wrong)).rejects.toThrow('cannot be read')
  })
})
