import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const zero = '0'.repeat(40)
const env = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'peer',
  GIT_AUTHOR_EMAIL: 'peer@example.com',
  GIT_COMMITTER_NAME: 'peer',
  GIT_COMMITTER_EMAIL: 'peer@example.com',
}

export type NewCommit = {
  branch: string
  /**
   * The commit that the branch must point to: undefined accepts any, null means that the branch
   * does not exist.
   */
  expected?: string | null
  parent?: string | null
  write?: Record<string, string>
  remove?: readonly string[]
  message: string
  /** The address of the author and the committer. */
  email?: string
}

/** Real bare repositories, written by git. The test peers serve them. */
export class BareRepositories {
  readonly root = mkdtempSync(join(tmpdir(), 'cc-bare-'))
  readonly #known = new Map<string, Promise<Map<string, string>>>()

  path(name: string): string {
    return join(this.root, `${name}.git`)
  }
  exists(name: string): boolean {
    return existsSync(this.path(name))
  }

  async create(name: string, files?: Record<string, string>): Promise<void> {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    await run('git', ['init', '-q', '--bare', '-b', 'main', this.path(name)], { env })
    await this.git(name, 'config', 'http.receivepack', 'true')
    if (files) await this.commit(name, { branch: 'main', write: files, message: 'first' })
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(this.path(to)), { recursive: true })
    renameSync(this.path(from), this.path(to))
  }

  async git(name: string, ...args: string[]): Promise<string> {
    const { stdout } = await run('git', ['--git-dir', this.path(name), ...args], {
      env,
      maxBuffer: 256 * 1024 * 1024,
    })
    return stdout
  }

  async head(name: string, branch: string): Promise<string | undefined> {
    try {
      return (await this.git(name, 'rev-parse', '-q', '--verify', `refs/heads/${branch}`)).trim()
    } catch {
      return undefined
    }
  }

  /** The commit that a tag names. */
  async tag(name: string, tag: string): Promise<string | undefined> {
    try {
      const named = `refs/tags/${tag}^{commit}`
      return (await this.git(name, 'rev-parse', '-q', '--verify', named)).trim()
    } catch {
      return undefined
    }
  }

  async branches(name: string): Promise<Array<{ name: string; commit: string }>> {
    const text = await this.git(
      name,
      'for-each-ref',
      '--format=%(refname:short) %(objectname)',
      'refs/heads',
    )
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => ({
        name: line.slice(0, line.lastIndexOf(' ')),
        commit: line.slice(line.lastIndexOf(' ') + 1),
      }))
  }

  /** A compare-and-swap by git: throws `moved` if the branch does not point to `expected`. */
  async commit(name: string, commit: NewCommit): Promise<string> {
    const head = await this.head(name, commit.branch)
    const expected = commit.expected === undefined ? (head ?? null) : commit.expected
    const parent = commit.parent === undefined ? expected : commit.parent
    const ref = `refs/import/${randomBytes(6).toString('hex')}`
    await this.import(name, script(ref, parent, commit))
    const made = (await this.git(name, 'rev-parse', ref)).trim()
    try {
      await this.git(name, 'update-ref', `refs/heads/${commit.branch}`, made, expected ?? zero)
    } catch {
      throw new Error('moved')
    } finally {
      await this.git(name, 'update-ref', '-d', ref)
    }
    return made
  }

  private async import(name: string, text: Buffer): Promise<void> {
    const child = spawn('git', ['--git-dir', this.path(name), 'fast-import', '--quiet'], { env })
    child.stdin.end(text)
    const code = await new Promise((resolve) => child.on('close', resolve))
    if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`)
  }

  async readFile(name: string, commit: string, path: string): Promise<string | undefined> {
    try {
      return await this.git(name, 'cat-file', 'blob', `${commit}:${path}`)
    } catch {
      return undefined
    }
  }

  async list(
    name: string,
    commit: string,
    folder = '',
    recursive = true,
  ): Promise<Array<{ path: string; id: string; type: string }>> {
    const text = await this.git(
      name,
      'ls-tree',
      ...(recursive ? ['-r'] : []),
      '-z',
      commit,
      ...(folder ? [`${folder}/`] : []),
    )
    return text
      .split('\0')
      .filter(Boolean)
      .map((line) => {
        const [meta = '', path = ''] = line.split('\t')
        const [, type = '', id = ''] = meta.split(' ')
        return { path, id, type }
      })
  }

  /** All files of a branch with their contents. */
  async tree(name: string, branch: string): Promise<Record<string, string>> {
    const head = await this.head(name, branch)
    if (!head) return {}
    const found: Record<string, string> = {}
    for (const { path } of await this.list(name, head))
      found[path] = (await this.readFile(name, head, path)) ?? ''
    return found
  }

  async lastCommitOf(name: string, commit: string, path: string): Promise<string> {
    return (await this.#lastCommits(name, commit)).get(path) ?? ''
  }

  /** Whether a commit contains this file. Asks git once per commit. */
  async has(name: string, commit: string, path: string): Promise<boolean> {
    return (await this.#lastCommits(name, commit)).has(path)
  }

  async #lastCommits(name: string, commit: string): Promise<Map<string, string>> {
    const known = this.#known.get(`${name} ${commit}`)
    if (known) return known
    const read = this.#readLastCommits(name, commit)
    // A branch's name is not cached, because the branch moves.
    if (/^[0-9a-f]{40}$/.test(commit)) this.#known.set(`${name} ${commit}`, read)
    return read
  }

  async #readLastCommits(name: string, commit: string): Promise<Map<string, string>> {
    const [files, log] = await Promise.all([
      this.list(name, commit),
      this.git(name, 'log', '--format=%x01%H', '--name-only', '--no-renames', '-z', commit),
    ])
    const there = new Set(files.map(({ path }) => path))
    const found = new Map<string, string>()
    for (const one of log.split('\u0001').slice(1)) {
      const id = one.slice(0, 40)
      for (const path of one
        .slice(40)
        .split('\0')
        .map((text) => text.replace(/^\n/, '')))
        if (there.has(path) && !found.has(path)) found.set(path, id)
    }
    return found
  }

  /**
   * The commits that touched a folder, newest first, with the addresses of their authors and
   * committers, and with their messages.
   */
  async log(
    name: string,
    { range, path = '' }: { range: string[]; path?: string },
  ): Promise<Array<{ id: string; author: string; committer: string; message: string }>> {
    const where = path === '' ? [] : ['--', path]
    const text = await this.git(name, 'log', '--format=%H %ae %ce%n%B%x00', ...range, ...where)
    return text
      .split('\0')
      .map((one) => one.trimStart())
      .filter(Boolean)
      .map((one) => {
        const [line = '', ...message] = one.split('\n')
        const [id = '', author = '', committer = ''] = line.split(' ')
        return { id, author, committer, message: message.join('\n') }
      })
  }

  async messages(name: string, branch: string): Promise<string[]> {
    const text = await this.git(name, 'log', '--format=%B%x00', branch)
    return text
      .split('\0')
      .map((message) => message.trim())
      .filter(Boolean)
  }

  async changes(
    name: string,
    base: string,
    head: string,
  ): Promise<Array<{ path: string; status: string }>> {
    const text = await this.git(name, 'diff', '--name-status', '--no-renames', '-z', base, head)
    const parts = text.split('\0').filter(Boolean)
    return parts.flatMap((status, index) =>
      index % 2 === 0 ? [{ status, path: parts[index + 1] ?? '' }] : [],
    )
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

function script(ref: string, parent: string | null, commit: NewCommit): Buffer {
  const parts: Buffer[] = []
  const line = (text: string) => parts.push(Buffer.from(`${text}\n`))
  const data = (text: string) => {
    const bytes = Buffer.from(text)
    line(`data ${bytes.length}`)
    parts.push(bytes, Buffer.from('\n'))
  }
  line(`commit ${ref}`)
  line(
    `committer peer <${commit.email ?? 'peer@example.com'}> ${Math.floor(Date.now() / 1_000)} +0000`,
  )
  data(commit.message)
  if (parent) line(`from ${parent}`)
  for (const path of commit.remove ?? []) line(`D ${JSON.stringify(path)}`)
  for (const [path, content] of Object.entries(commit.write ?? {})) {
    line(`M 100644 inline ${JSON.stringify(path)}`)
    data(content)
  }
  line('done')
  return Buffer.concat([Buffer.from('feature done\n'), ...parts])
}
