import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  fetchCommit,
  type CommitToFetch,
  type FetchedCommit,
} from '../../../gateways/git/fetch-commit.ts'
import { hasBwrap, why } from '../sandbox/shell-sandbox.ts'
import { relayBench, type RelayBench } from './relay-bench.ts'

const run = promisify(execFile)

// The system's git inside the sandbox, against git's own http-backend behind a token.
describe.skipIf(!hasBwrap)(`the source of an application (${why})`, () => {
  let setup: RelayBench
  beforeAll(async () => {
    setup = await relayBench('bubblewrap')
  })
  afterAll(async () => setup?.close())

  type Opened = Awaited<ReturnType<RelayBench['open']>>
  const wanted = (
    name: string,
    {
      branch = 'main',
      tag = null,
      commit = null,
    }: { branch?: string; tag?: string | null; commit?: string | null } = {},
  ): CommitToFetch => ({
    repository: name,
    url: `http://${setup.host}/${name}.git`,
    folder: 'source',
    ...revisionOf({ branch, tag, commit }),
  })
  const opened = async (name: string, use: (bench: Opened) => Promise<void>, ref = 'main') => {
    const bench = await setup.open({ named: [`${name}?ref=${ref}`] })
    try {
      await use(bench)
    } finally {
      bench.relay.close()
      await bench.bench.close()
    }
  }
  const fetch = async (
    { bench, env, relay }: Opened,
    what: CommitToFetch,
  ): Promise<FetchedCommit> => fetchCommit(bench, what, { env, refusal: () => relay.refusal() })
  const path = (name: string) => setup.peer.path?.(name) ?? ''
  /** Writes commits as `git fast-import` reads them, which checks less than `git add`. */
  const importInto = async (name: string, script: Iterable<string | Buffer>) => {
    await setup.peer.createRepository(name)
    const child = spawn('git', ['--git-dir', path(name), 'fast-import', '--quiet', '--force'])
    for (const part of script) child.stdin.write(part)
    child.stdin.end()
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(0)
  }
  const header = (message = 'made', time = 1_700_000_000) =>
    `commit refs/heads/main\ncommitter Ann <ann@x.example> ${time} +0100\n` +
    `data ${Buffer.byteLength(message)}\n${message}\n`
  const file = (name: string | Buffer, mode = '100644', content = 'x') =>
    Buffer.concat([
      Buffer.from(`M ${mode} inline `),
      Buffer.from(name),
      Buffer.from(`\ndata ${content.length}\n${content}\n`),
    ])

  test('a branch becomes a commit with its files, and again the same in a second try', async () => {
    await setup.peer.createRepository('acme/app', { 'src/main.js': '// hi\n', 'run.sh': 'echo\n' })
    const head = (await run('git', ['--git-dir', path('acme/app'), 'rev-parse', 'main'])).stdout
    await opened('acme/app', async (at) => {
      for (const _ of [1, 2]) {
        const found = await fetch(at, wanted('acme/app'))
        expect(found).toMatchObject({
          sha: head.trim(),
          author: 'peer <peer@example.com>',
          message: 'first',
          entries: 2,
          bytes: 11,
          submodules: [],
          pointers: [],
        })
        const there = await setup.inside(
          at,
          'cd source && ls -A . src && git rev-list --count HEAD',
        )
        expect(there.text.split('\n').filter(Boolean)).toEqual([
          '.:',
          '.git',
          'run.sh',
          'src',
          'src:',
          'main.js',
          '1',
        ])
      }
      // Neither the token nor the address of the relay is left in the folder.
      const left = await setup.inside(at, `grep -rlaE '${setup.token.slice(0, 20)}' . ; true`)
      expect(left.text).toBe('')
    })
  })

  test('a commit that is known is fetched, although a force push moved the branch since', async () => {
    await importInto('acme/forced', [header('one'), file('one')])
    const [first] = (
      await run('git', ['--git-dir', path('acme/forced'), 'rev-parse', 'main'])
    ).stdout.split('\n')
    const child = spawn('git', [
      '--git-dir',
      path('acme/forced'),
      'fast-import',
      '--quiet',
      '--force',
    ])
    child.stdin.end(Buffer.concat([Buffer.from(`${header('two')}deleteall\n`), file('two')]))
    await new Promise((resolve) => child.on('close', resolve))
    await opened('acme/forced', async (at) => {
      expect((await fetch(at, wanted('acme/forced'))).message).toBe('two')
    })
    await opened(
      'acme/forced',
      async (at) => {
        const found = await fetch(at, wanted('acme/forced', { commit: first ?? '' }))
        expect([found.sha, found.message]).toEqual([first, 'one'])
      },
      first,
    )
  })

  test('a branch that is gone, an empty repository and one that is not there are told apart', async () => {
    await setup.peer.createRepository('acme/empty')
    await setup.peer.createRepository('acme/gone', { a: 'a' })
    for (const [name, branch, code] of [
      ['acme/empty', 'main', 'source_empty'],
      ['acme/gone', 'old', 'source_branch_gone'],
      ['acme/gone', '-q', 'source_branch_gone'],
      ['acme/nosuch', 'main', 'source_unreachable'],
    ] as const)
      await opened(
        name,
        async (at) => {
          await expect(fetch(at, wanted(name, { branch })), name).rejects.toMatchObject({ code })
        },
        branch,
      )
  })

  test('names may be any bytes; a message and a time may be anything', async () => {
    const strange = [Buffer.from([0x66, 0xff, 0xfe]), '"a\\nb\\tc"', 'ü ', '-rf', 'a$(touch x)']
    const message = Buffer.from([0x68, 0x69, 0xff, 0x1b, 0x5b, 0x41])
    await importInto('acme/names', [
      `commit refs/heads/main\ncommitter Ann <ann@x.example> 99999999999999 +0000\ndata ${message.length}\n`,
      message,
      '\n',
      ...strange.map((name) => file(name)),
    ])
    await opened('acme/names', async (at) => {
      const found = await fetch(at, wanted('acme/names'))
      expect(found.entries).toBe(strange.length)
      expect(found.message).toBe('hi\ufffd [A')
      expect(found.committedAt.getTime()).toBeLessThanOrEqual(253_402_300_799_000)
      const there = await setup.inside(
        at,
        'cd source && find . -path ./.git -prune -o -type f -print0 | tr -dc "\\0" | wc -c',
      )
      expect(there.text.trim()).toBe(String(strange.length))
    })
  })

  test('submodules are not fetched, pointers to Git LFS stay, and no filter or hook is run', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`
    await importInto('acme/parts', [
      header(),
      file('.gitattributes', '100644', '*.bin filter=lfs diff=lfs\n*.txt filter=evil\n'),
      file('big.bin', '100644', pointer),
      file('a.txt'),
      file(
        '.gitmodules',
        '100644',
        `[submodule "sub"]\n\tpath = sub\n\turl = http://${setup.host}/acme/secret\n`,
      ),
      `M 160000 ${'1'.repeat(40)} sub\n`,
    ])
    await opened('acme/parts', async (at) => {
      const found = await fetch(at, wanted('acme/parts'))
      expect(found).toMatchObject({ submodules: ['sub'], pointers: ['big.bin'] })
      const there = await setup.inside(
        at,
        'cd source && ls -A sub && cat big.bin && ls .git/hooks; true',
      )
      expect(there.text).toContain('git-lfs.github.com')
    })
    expect(setup.fetched.join(' ')).not.toContain('acme/secret')
  })

  test('a commit of a million files is refused before one of them is written', async () => {
    // 100 names of a folder of 100 names of a folder of 100 files: a pack of a few kilobytes.
    await setup.peer.createRepository('acme/bomb')
    const git = (input: string, ...args: string[]) =>
      new Promise<string>((resolve, reject) => {
        const child = execFile('git', ['--git-dir', path('acme/bomb'), ...args], (error, out) =>
          error ? reject(error) : resolve(out.trim()),
        )
        // It may end before its input does.
        child.stdin?.on('error', () => {})
        child.stdin?.end(input)
      })
    const blob = await git('x', 'hash-object', '-w', '--stdin')
    const hundred = (line: (at: number) => string) =>
      Array.from({ length: 100 }, (_, at) => `${line(at)}\n`).join('')
    let tree = await git(
      hundred((at) => `100644 blob ${blob}\tf${at}`),
      'mktree',
    )
    for (const _ of [1, 2])
      tree = await git(
        hundred((at) => `040000 tree ${tree}\td${at}`),
        'mktree',
      )
    const commit = await git(
      `tree ${tree}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nbomb\n`,
      'hash-object',
      '-t',
      'commit',
      '-w',
      '--stdin',
    )
    await git('', 'update-ref', 'refs/heads/main', commit)
    await opened('acme/bomb', async (at) => {
      await expect(fetch(at, wanted('acme/bomb'))).rejects.toMatchObject({
        code: 'source_too_large',
        message: 'The commit has more than 200,000 files, which is more than is built.',
      })
      expect((await setup.inside(at, 'ls -A source')).text).toBe('.git')
    })
  })
})

function revisionOf(named: { branch: string; tag: string | null; commit: string | null }) {
  const { branch, tag, commit } = named
  if (commit !== null) return { branch: null, tag: null, commit }
  return tag === null ? { branch, tag: null, commit: null } : { branch: null, tag, commit: null }
}
