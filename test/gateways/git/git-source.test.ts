import { describe, expect, test } from 'vitest'
import { blobId } from '../../../domain/git/blob-id.ts'
import { readBlobs } from '../../../gateways/git/read-blobs.ts'
import { eachProvider } from '../../harness/git/each-provider.ts'
import { textsOf } from '../../harness/git/source-files.ts'

const files = {
  'README.md': 'hello\n',
  'a/one.tf': '# één\n',
  'a/b/two.tf': '# two\n',
  'c.tf': '#\n',
}

eachProvider('reading from %s', (provider) => {
  const repository = async () => {
    const { name } = await provider.repository(files)
    const head = async () => (await provider.host.head(name, 'main')) ?? ''
    return { name, head }
  }

  test('reads only the files of the folders, byte for byte', async () => {
    const { name, head } = await repository()
    const at = { branch: 'main', commit: await head(), known: new Set<string>() }
    const read = async (...folders: string[]) =>
      textsOf(await provider.host.readFiles(name, { ...at, folders }))
    expect(await read('a')).toEqual({
      'a/one.tf': '# één\n',
      'a/b/two.tf': '# two\n',
    })
    expect(await read('a/b', 'nowhere')).toEqual({
      'a/b/two.tf': '# two\n',
    })
    expect(await read('')).toEqual(files)
  })

  test('known files are not requested again', async () => {
    const { name, head } = await repository()
    const at = { branch: 'main', commit: await head(), folders: ['a'] }
    const asked = provider.peer.server.calls.length
    await provider.host.readFiles(name, { ...at, known: new Set() })
    const all = provider.peer.server.calls.length - asked
    const known = new Set(Object.values(files).map(blobId))
    const before = provider.peer.server.calls.length
    const read = await provider.host.readFiles(name, { ...at, known })
    expect([read.listed.size, read.contents.size]).toEqual([2, 0])
    expect(Object.keys(textsOf(read, files)).toSorted()).toEqual(['a/b/two.tf', 'a/one.tf'])
    const again = provider.peer.server.calls.length - before
    // Bitbucket is read with git, which gets all files in one request.
    expect(again).toBe(provider.peer.provider === 'bitbucket' ? all : all - 2)
  })

  test('the authors of commits to the folders since a commit, or of all commits', async () => {
    const { name, head } = await repository()
    const first = await head()
    const edit = async (path: string, email: string) =>
      provider.peer.edit(name, { write: { [path]: `# ${email}\n` }, email })
    await edit('a/one.tf', 'ada@example.com')
    await edit('c.tf', 'eve@example.com')
    await edit('a/b/two.tf', 'bob@example.com')
    const to = await head()
    const emails = async (from: string | null, folders: string[]) => {
      const { commits, complete } = await provider.host.authors(name, { from, to, folders })
      expect(complete).toBe(true)
      return commits.map(({ claimed }) => [...new Set(claimed)].join()).toSorted()
    }
    expect(await emails(first, ['a'])).toEqual(['ada@example.com', 'bob@example.com'])
    expect(await emails(first, ['a', 'c.tf'])).toHaveLength(3)
    expect(await emails(to, ['a'])).toEqual([])
    expect((await emails(null, ['a'])).length).toBeGreaterThanOrEqual(3)
    // For a commit that no longer exists, all authors count.
    expect((await emails('0'.repeat(39).concat('1'), ['a'])).length).toBeGreaterThanOrEqual(3)
  })
})

eachProvider('who a change is by, as %s proves it', (provider) => {
  test('an address counts with a verified signature, and a push with the account’s public address', async () => {
    const { name, head: first } = await provider.repository({ 'a/one.tf': '# 1\n' })
    const head = async () => (await provider.host.head(name, 'main')) ?? ''
    const write = (text: string) => ({ write: { 'a/one.tf': text } })
    await provider.peer.edit(name, {
      ...write('# 2\n'),
      email: 'ada@example.com',
      message: 'Make it two\n\nBecause one was too few.',
    })
    const unsigned = await head()
    await provider.peer.edit(name, {
      ...write('# 3\n'),
      email: 'ada@example.com',
      signed: true,
      pusher: 'eve@example.com',
    })
    const to = await head()
    const proofOf = async (from: string, end: string) => {
      const range = { from, to: end, folders: ['a'] }
      return (await provider.host.authors(name, range)).commits
    }
    const claimed = expect.arrayContaining(['ada@example.com'])
    const signs = provider.peer.provider !== 'bitbucket'
    const words = {
      sha: unsigned,
      author: expect.stringMatching(/\w/),
      message: expect.stringMatching(/^Make it two(\n|$)/),
    }
    expect(await proofOf(first, unsigned)).toEqual([{ claimed, proved: [], words }])
    expect(await proofOf(unsigned, to)).toEqual([
      {
        claimed,
        proved: signs ? ['ada@example.com'] : [],
        words: expect.objectContaining({ sha: to }),
      },
    ])
    const pushes = await provider.host.pushes(name, 'main')
    if (provider.peer.product === 'bitbucket-cloud') expect(pushes).toBeNull()
    else {
      const address = ['eve@example.com']
      expect(pushes?.[0]).toEqual({
        before: unsigned,
        after: to,
        ...(signs ? { claimed: [], proved: address } : { claimed: address, proved: [] }),
      })
      expect(pushes?.[1]).toEqual({ before: first, after: unsigned, claimed: [], proved: [] })
    }
  })

  test('a token without access to pushes gets null for them, and still reads files', async () => {
    if (provider.peer.product !== 'bitbucket-data-center') return
    const { name } = await provider.repository({ 'a/one.tf': '# 1\n' })
    const host = provider.hostWith(provider.peer.token('read'))
    expect(await host.pushes(name, 'main')).toBeNull()
  })
})

describe('the limits of a read', () => {
  const listed = (count: number) =>
    new Map(Array.from({ length: count }, (_, at) => [`f${at}.tf`, `${at}`]))

  test('1,001 files are refused before the first is requested', async () => {
    let reads = 0
    const read = async () => {
      reads += 1
      return Buffer.from('#')
    }
    await expect(readBlobs(listed(1_001), new Set(), { one: read })).rejects.toMatchObject({
      fault: 'invalid',
      code: 'git_source_too_large',
    })
    expect(reads).toBe(0)
    const most = await readBlobs(listed(1_000), new Set(), { one: read })
    expect(most.listed.size).toBe(1_000)
  })

  test('a read of more than 10 MiB is aborted at the limit', async () => {
    let reads = 0
    const read = async () => {
      reads += 1
      return Buffer.alloc(1_048_576, '#')
    }
    await expect(readBlobs(listed(900), new Set(), { one: read })).rejects.toMatchObject({
      code: 'git_source_too_large',
    })
    expect(reads).toBeLessThan(30)
  })

  test('a file that is not text is refused by name; a byte order mark is kept; a deleted file is left out', async () => {
    const bytes: Record<string, Buffer | null> = {
      'a.png': Buffer.from([0x89, 0x50, 0xff]),
      'b.tf': Buffer.from('\ufeff# b'),
      module: null,
    }
    const read = async (path: string) => bytes[path] ?? null
    const one = async (path: string) =>
      textsOf(await readBlobs(new Map([[path, path]]), new Set(), { one: read }))
    await expect(one('a.png')).rejects.toMatchObject({
      code: 'git_source_not_text',
      message: expect.stringContaining('a.png'),
    })
    expect(await one('b.tf')).toEqual({ 'b.tf': '\ufeff# b' })
    expect(await one('module')).toEqual({})
  })
})
