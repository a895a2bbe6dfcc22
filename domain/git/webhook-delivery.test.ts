import { describe, expect, test, vi } from 'vitest'
import type { GitProduct } from './providers.ts'
import { deliveryReader } from './webhook-delivery.ts'

const zero = '0'.repeat(40)
const commit = 'a'.repeat(40)
const sent = (body: object, headers: Record<string, string> = {}) => ({
  headers,
  body: Buffer.from(JSON.stringify(body)),
})
const deliveryOf = (product: GitProduct, { headers, body }: ReturnType<typeof sent>) => {
  const reader = deliveryReader(product, headers)
  reader.add(body)
  return reader.end()
}
const push = { 'x-github-event': 'push', 'x-github-delivery': 'one' }

describe('deliveryOf', () => {
  test('a tag of each host, by its name, with the repository', () => {
    const [github, gitlab, cloud, dataCenter] = [
      deliveryOf(
        'github',
        sent({ ref: 'refs/tags/v1', after: commit, repository: { full_name: 'a/b' } }, push),
      ),
      deliveryOf(
        'gitlab',
        sent({
          object_kind: 'tag_push',
          ref: 'refs/tags/v1',
          after: commit,
          project: { path_with_namespace: 'a/b' },
        }),
      ),
      deliveryOf(
        'bitbucket-cloud',
        sent(
          {
            repository: { full_name: 'a/b' },
            push: { changes: [{ new: { type: 'tag', name: 'v1' } }] },
          },
          { 'x-event-key': 'repo:push' },
        ),
      ),
      deliveryOf(
        'bitbucket-data-center',
        sent(
          {
            repository: { slug: 'b', project: { key: 'a' } },
            changes: [{ ref: { id: 'refs/tags/v1' }, toHash: commit }],
          },
          { 'x-event-key': 'repo:refs_changed' },
        ),
      ),
    ]
    for (const delivery of [github, gitlab, cloud, dataCenter])
      expect(delivery).toMatchObject({
        branches: [],
        tags: ['v1'],
        pullRequest: null,
        repository: 'a/b',
      })
  })

  test('a deleted tag is no event, a deleted branch is looked at', () => {
    expect(deliveryOf('github', sent({ ref: 'refs/tags/v1', after: zero }, push))).toBeUndefined()
    expect(
      deliveryOf('gitlab', sent({ object_kind: 'tag_push', ref: 'refs/tags/v1', after: zero })),
    ).toBeUndefined()
    expect(
      deliveryOf(
        'bitbucket-cloud',
        sent({ push: { changes: [{ new: null }] } }, { 'x-event-key': 'repo:push' }),
      ),
    ).toBeUndefined()
    expect(deliveryOf('github', sent({ ref: 'refs/heads/x', after: zero }, push))).toMatchObject({
      branches: ['x'],
      tags: [],
    })
  })

  test('what is no name is passed over, and lists are bounded', () => {
    const changes = Array.from({ length: 200 }, (_, n) => ({
      ref: { id: `refs/tags/v${n}` },
      toHash: commit,
    }))
    const many = deliveryOf(
      'bitbucket-data-center',
      sent({ changes, repository: { slug: 7 } }, { 'x-event-key': 'repo:refs_changed' }),
    )
    expect(many?.tags).toHaveLength(50)
    expect(many?.repository).toBeNull()
    for (const ref of [7, null, {}, 'refs/notes/x'])
      expect(deliveryOf('github', sent({ ref, after: commit }, push))).toBeUndefined()
    const long = { full_name: 'a'.repeat(5_000) }
    expect(
      deliveryOf('github', sent({ ref: 'refs/heads/x', repository: long }, push))?.repository,
    ).toBeNull()
  })

  test('a push of 2,048 commits with 500 files each is read, and not parsed as a whole', () => {
    const person = { name: 'A B', email: 'a@example.com', username: 'ab' }
    const one = {
      id: commit,
      tree_id: commit,
      distinct: true,
      message: 'x "y" {',
      timestamp: 'now',
    }
    const lists = {
      added: Array(250).fill('src/a.ts'),
      removed: [],
      modified: Array(250).fill('b'),
    }
    const each = { ...one, url: 'https://host.example', author: person, ...lists }
    const body = sent(
      {
        commits: Array.from({ length: 2_048 }, () => each),
        ref: 'refs/heads/x',
        after: commit,
        repository: { id: 1, owner: person, full_name: 'a/b' },
      },
      push,
    )
    const parse = vi.spyOn(JSON, 'parse')
    expect(deliveryOf('github', body)).toMatchObject({ branches: ['x'], repository: 'a/b' })
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length))
    parse.mockRestore()
    expect(longest).toBeLessThan(100)
  })

  test('a body of very many fields and items is read, if few of them are looked at', () => {
    const many = sent(
      { ref: 'refs/heads/x', commits: Array.from({ length: 200_000 }, () => []) },
      push,
    )
    expect(deliveryOf('github', many)?.branches).toEqual(['x'])
  })
})
