import { describe, expect, test, vi } from 'vitest'
import { deliveryOf } from './webhook-delivery.ts'

const zero = '0'.repeat(40)
const commit = 'a'.repeat(40)
const sent = (body: object, headers: Record<string, string> = {}) => ({
  headers,
  body: Buffer.from(JSON.stringify(body)),
})
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

  test('a push of 2,048 commits is read; one of more fields and items than that is not parsed', () => {
    const person = { name: 'A B', email: 'a@example.com', username: 'ab' }
    const files = Array.from({ length: 40 }, (_, n) => `src/a-folder/file-${n}.ts`)
    const one = { id: commit, tree_id: commit, distinct: true, message: 'x', timestamp: 'now' }
    const lists = { added: files, removed: [], modified: files.slice(0, 8) }
    const each = {
      ...one,
      url: 'https://host.example',
      author: person,
      committer: person,
      ...lists,
    }
    const pushed = {
      ref: 'refs/heads/x',
      after: commit,
      commits: Array.from({ length: 2_048 }, () => each),
    }
    expect(deliveryOf('github', sent(pushed, push))?.branches).toEqual(['x'])
    const parse = vi.spyOn(JSON, 'parse')
    const small = sent(
      { ref: 'refs/heads/x', commits: Array.from({ length: 75_001 }, () => []) },
      push,
    )
    expect(() => deliveryOf('github', small)).toThrow('more than 150,000 fields and items')
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })
})
