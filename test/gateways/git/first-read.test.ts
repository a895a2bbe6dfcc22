import { expect, test } from 'vitest'
import { readSource } from '../../../gateways/git/read-source.ts'
import { eachProvider, failureOf } from '../../harness/git/each-provider.ts'
import { textsOf } from '../../harness/git/source-files.ts'

const many = Object.fromEntries(
  Array.from({ length: 999 }, (_, index) => [`live/file-${index}.tf`, `# ${index}\n`]),
)

eachProvider('a first read from %s', (provider) => {
  test('of 999 files takes 12 calls at most', async () => {
    const { name, head } = await provider.repository({ ...many, 'README.md': 'hello\n' })
    const before = provider.peer.server.calls.length
    const place = { kind: 'git' as const, repo: name, path: 'live' }
    const read = await readSource(provider.host, place, undefined)
    expect(read?.commit).toBe(head)
    expect(read && textsOf(read.files)).toEqual(many)
    const calls = provider.peer.server.calls.slice(before)
    expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(12)
  })

  test('reads single files if the host gives no archive and no pack', async () => {
    const files = Object.fromEntries(Object.entries(many).slice(0, 20))
    const { name, head } = await provider.repository(files)
    provider.peer.server.fault = ({ path }) =>
      /\/tarball\/|git-upload-pack/.test(path) || path.includes('.git/info/refs')
        ? { status: 403, json: { message: 'turned off' } }
        : undefined
    const request = { branch: 'main', commit: head, folders: ['live'], known: new Set<string>() }
    try {
      if (provider.peer.provider === 'bitbucket')
        expect((await failureOf(provider.host.readFiles(name, request))).code).toBe('git_forbidden')
      else expect(textsOf(await provider.host.readFiles(name, request))).toEqual(files)
    } finally {
      provider.peer.server.fault = () => undefined
    }
  })
})
