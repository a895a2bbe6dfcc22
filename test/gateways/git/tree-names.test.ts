import { createHash } from 'node:crypto'
import { writeFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { blobId } from '../../../domain/git/blob-id.ts'
import { eachProvider, failureOf, type Provider } from '../../harness/git/each-provider.ts'

// Names that `git` refuses to write. An attacker can store them on any host, because a tree is
// plain bytes.
eachProvider('%s', (provider) => {
  for (const name of ['..', '.git', 'a\\b'])
    test(`a tree with ${name} is refused with that path, and does not count as an outage`, async () => {
      const { name: repo, head } = await provider.repository({ 'live/main.tf': '# hi\n' })
      const commit = serve(provider, { repo, head, name })
      const error = await failureOf(
        provider.host.readFiles(repo, {
          branch: 'main',
          commit,
          folders: ['live'],
          known: new Set<string>(),
        }),
      )
      provider.peer.server.fault = () => undefined
      expect([error.fault, error.code]).toEqual(['invalid', 'git_source_unsafe_path'])
      expect(error.message).toContain(JSON.stringify(`live/${name}`).slice(0, -1))
    })

  test('a few trees that expand to a million paths are refused, where git lists them', async () => {
    const { peer } = provider
    if (!peer.path || !peer.product.startsWith('bitbucket')) return
    const { name: repo, head } = await provider.repository({ 'live/main.tf': '# hi\n' })
    const gitdir = peer.path(repo)
    let id = treeOf(gitdir, [['100644', 'x.tf', store(gitdir, 'blob', Buffer.from('# x\n'))]])
    for (let depth = 0; depth < 6; depth += 1) {
      const below = id
      id = treeOf(
        gitdir,
        Array.from({ length: 10 }, (_, at) => ['40000', `d${at}`, below]),
      )
    }
    const commit = commitOf(gitdir, { root: treeOf(gitdir, [['40000', 'live', id]]), head })
    const at = { branch: 'main', commit, folders: ['live'], known: new Set<string>() }
    const error = await failureOf(provider.host.readFiles(repo, at))
    expect([error.fault, error.code]).toEqual(['conflict', 'git_repository_too_large'])
  }, 60_000)

  test('a submodule is no file, also where it has the id of one', async () => {
    const { name: repo, head } = await provider.repository({ 'live/main.tf': '# hi\n' })
    const commit = serveSubmodule(provider, { repo, head, id: blobId('# hi\n') })
    const at = { branch: 'main', commit, folders: ['live'], known: new Set<string>() }
    const { listed } = await provider.host.readFiles(repo, at)
    const known = await provider.host.readFiles(repo, { ...at, known: new Set(listed.values()) })
    provider.peer.server.fault = () => undefined
    expect([...listed.keys()]).toEqual(['live/main.tf'])
    expect([...known.listed.keys()]).toEqual(['live/main.tf'])
  })
})

/** Moves `main` to a commit that has a submodule beside `live/main.tf`. */
function serveSubmodule(
  { peer }: Provider,
  { repo, head, id }: { repo: string; head: string; id: string },
): string {
  if (!peer.path) {
    const tree = [
      { path: 'main.tf', mode: '100644', type: 'blob', sha: id },
      { path: 'sub', mode: '160000', type: 'commit', sha: id },
    ]
    const json = { sha: '1'.repeat(40), truncated: false, tree }
    peer.server.fault = ({ url }) =>
      url.searchParams.has('recursive') ? { status: 200, json } : undefined
    return head
  }
  const gitdir = peer.path(repo)
  const live = treeOf(gitdir, [
    ['100644', 'main.tf', id],
    ['160000', 'sub', id],
  ])
  return commitOf(gitdir, { root: treeOf(gitdir, [['40000', 'live', live]]), head })
}

/**
 * Moves `main` to a commit with this name in its tree. GitHub's emulator cannot store such a tree,
 * so its answer is replaced.
 */
function serve(
  { peer }: Provider,
  { repo, head, name }: { repo: string; head: string; name: string },
): string {
  if (!peer.path) {
    const entry = { path: `${name}/x.tf`, mode: '100644', type: 'blob', sha: '0'.repeat(40) }
    const json = { sha: '1'.repeat(40), truncated: false, tree: [entry] }
    peer.server.fault = ({ url }) =>
      url.searchParams.has('recursive') ? { status: 200, json } : undefined
    return head
  }
  const gitdir = peer.path(repo)
  const blob = store(gitdir, 'blob', Buffer.from('# evil\n'))
  const evil = treeOf(gitdir, [['40000', name, treeOf(gitdir, [['100644', 'x.tf', blob]])]])
  return commitOf(gitdir, { root: treeOf(gitdir, [['40000', 'live', evil]]), head })
}

function commitOf(gitdir: string, { root, head }: { root: string; head: string }): string {
  const person = 'peer <peer@example.com> 1700000000 +0000'
  const text = `tree ${root}\nparent ${head}\nauthor ${person}\ncommitter ${person}\n\nevil\n`
  const commit = store(gitdir, 'commit', Buffer.from(text))
  writeFileSync(join(gitdir, 'refs/heads/main'), `${commit}\n`)
  return commit
}

/** Writes an object in git's format (gitformat-object) without checks. */
function store(gitdir: string, type: string, content: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = createHash('sha1').update(bytes).digest('hex')
  const path = join(gitdir, 'objects', id.slice(0, 2), id.slice(2))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, deflateSync(bytes))
  return id
}

function treeOf(gitdir: string, entries: Array<[mode: string, name: string, id: string]>): string {
  const parts = entries.flatMap(([mode, name, id]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(id, 'hex'),
  ])
  return store(gitdir, 'tree', Buffer.concat(parts))
}
