import { expect, test } from 'vitest'
import { readSource } from '../../../gateways/git/read-source.ts'
import { eachProvider } from '../../harness/git/each-provider.ts'
import { knownOf } from '../../harness/git/source-files.ts'

eachProvider('a branch that was moved back in %s', (provider) => {
  /** A colleague changed the folder; a push takes that back, and has a commit of another folder alone. */
  const movedBack = async () => {
    const { name } = await provider.repository({ 'live/main.tf': '# 1\n' })
    const place = { kind: 'git' as const, repo: name, path: 'live' }
    await provider.peer.branch(name, 'main', 'before')
    await provider.peer.edit(name, { write: { 'live/main.tf': '# 2\n' } })
    const before = await readSource(provider.host, place, undefined)
    if (!before) throw new Error('nothing was read')
    const change = { write: { 'docs/a.md': 'a\n' }, pusher: 'eve@example.com' }
    await provider.peer.edit(name, { ...change, onTopOf: 'before' })
    return { name, place, known: { ...knownOf(before, true), commitSha: before.commit } }
  }

  test('the comparison is the difference of both commits, not that since they parted', async () => {
    const { name, known } = await movedBack()
    const head = (await provider.host.head(name, 'main')) ?? ''
    const changes = await provider.host.compare(name, { base: known.commitSha, head })
    expect(changes.map(({ path }) => path).toSorted()).toEqual(['docs/a.md', 'live/main.tf'])
  })

  test('the push counts, though no commit of the folder is left', async () => {
    const { place, known } = await movedBack()
    const read = await readSource(provider.host, place, known)
    expect([read?.commits, read?.files.contents.size]).toEqual([[], 1])
    if (provider.peer.product === 'bitbucket-cloud') expect(read?.pushes).toBeNull()
    else expect(read?.pushes).toMatchObject([{ before: known.commitSha, after: read?.commit }])
  })

  test('all pushes count where the host says that none changed the folder, whose files differ', async () => {
    const { place, known } = await movedBack()
    const compare = async () => [{ path: 'docs/a.md', change: 'added' as const }]
    const read = await readSource({ ...provider.host, compare }, place, known)
    if (provider.peer.product === 'bitbucket-cloud') expect(read?.pushes).toBeNull()
    else expect(read?.pushes).toHaveLength(1)
  })
})
