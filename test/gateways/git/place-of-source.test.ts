import { expect, test } from 'vitest'
import { readSource } from '../../../gateways/git/read-source.ts'
import { eachProvider } from '../../harness/git/each-provider.ts'
import { knownOf } from '../../harness/git/source-files.ts'

eachProvider('a source of %s that was changed', (provider) => {
  const place = (repo: string, path: string, include: string[] = []) => ({
    kind: 'git' as const,
    repo,
    path,
    branch: 'main',
    include,
  })
  const claimed = (read: Awaited<ReturnType<typeof readSource>>) =>
    new Set(read?.commits.flatMap((commit) => commit.claimed))

  test('has all authors of a folder that was not read before', async () => {
    const { name } = await provider.repository({ 'a/main.tf': '# a\n' })
    const edit = async (path: string, email: string) =>
      provider.peer.edit(name, { write: { [path]: `# ${email}\n` }, email })
    await edit('b/main.tf', 'eve@example.com')
    const known = await readSource(provider.host, place(name, 'a'), undefined)
    const of = (current: boolean) => knownOf(known, current)
    expect(claimed(known)).not.toContain('eve@example.com')
    // The same head.
    expect(await readSource(provider.host, place(name, 'a'), of(true))).toBeUndefined()
    const other = await readSource(provider.host, place(name, 'b'), of(false))
    expect(claimed(other)).toContain('eve@example.com')
    const more = await readSource(provider.host, place(name, 'a', ['b']), of(false))
    expect(claimed(more)).toContain('eve@example.com')
    // A later head, at which the file is not the same any more.
    await edit('b/main.tf', 'bob@example.com')
    const later = await readSource(provider.host, place(name, 'b'), of(false))
    expect(claimed(later)).toContain('eve@example.com')
  })

  test('has the authors since the known commit where the same folders are read', async () => {
    const { name } = await provider.repository({ 'a/main.tf': '# a\n' })
    const known = await readSource(provider.host, place(name, 'a'), undefined)
    const renamed = knownOf(known, false)
    const edit = async (path: string, email: string) =>
      provider.peer.edit(name, { write: { [path]: `# ${email}\n` }, email })
    await edit('a/main.tf', 'ada@example.com')
    await edit('a/new.tf', 'bob@example.com')
    const read = await readSource(provider.host, place(name, 'a'), renamed)
    expect(read?.commits).toHaveLength(2)
    const emails = [...claimed(read)].filter((email) => /^(ada|bob)@/.test(email))
    expect(emails.toSorted()).toEqual(['ada@example.com', 'bob@example.com'])
  })
})
