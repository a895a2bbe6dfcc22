import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Gitlab } from '@gitbeaker/rest'
import { Octokit } from '@octokit/rest'
import type { GitPeer } from '../test/harness/git/git-peer.ts'

type Bare = (peer: GitPeer, at: { repo: string; files: Record<string, string> }) => Promise<void>

/**
 * Milliseconds of a client that makes only the same commit, in the way that its documentation
 * shows.
 */
export async function bareCommit(peer: GitPeer, at: Parameters<Bare>[1]): Promise<number> {
  const since = performance.now()
  await clients[peer.product](peer, at)
  return performance.now() - since
}

const message = 'bare'
const clients: Record<GitPeer['product'], Bare> = {
  async github(peer, { repo: name, files }) {
    const { git } = new Octokit({
      auth: peer.token(),
      baseUrl: `${peer.server.url}/api/v3`,
    }).rest
    const [owner = '', repo = ''] = name.split('/')
    const { data: ref } = await git.getRef({ owner, repo, ref: 'heads/main' })
    const { data: head } = await git.getCommit({ owner, repo, commit_sha: ref.object.sha })
    const { data: tree } = await git.createTree({
      owner,
      repo,
      base_tree: head.tree.sha,
      tree: Object.entries(files).map(([path, content]) => ({
        path,
        mode: '100644',
        type: 'blob',
        content,
      })),
    })
    const parents = [ref.object.sha]
    const { data: made } = await git.createCommit({ owner, repo, message, tree: tree.sha, parents })
    await git.updateRef({ owner, repo, ref: 'heads/main', sha: made.sha })
  },

  async gitlab(peer, { repo, files }) {
    const api = new Gitlab({ host: peer.server.url, token: peer.token() })
    await api.Commits.create(
      repo,
      'main',
      message,
      Object.entries(files).map(([filePath, content]) => ({
        action: 'create' as const,
        filePath,
        content,
      })),
    )
  },

  async 'bitbucket-cloud'(peer, { repo, files }) {
    const body = new FormData()
    body.append('message', message)
    body.append('branch', 'main')
    for (const [path, content] of Object.entries(files))
      body.append(`/${path}`, new Blob([content]), path)
    const answer = await fetch(`${peer.server.url}/2.0/repositories/${repo}/src`, {
      method: 'POST',
      headers: { authorization: `Bearer ${peer.token()}` },
      body,
    })
    if (answer.status !== 201) throw new Error(await answer.text())
  },

  async 'bitbucket-data-center'(peer, { repo, files }) {
    const folder = mkdtempSync(join(tmpdir(), 'cc-bare-commit-'))
    const git = async (...args: string[]) =>
      promisify(execFile)('git', args, {
        cwd: folder,
        env: { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      })
    const header = `http.extraHeader=Authorization: Bearer ${peer.token()}`
    try {
      const url = `${peer.server.url}/scm/${repo}.git`
      await git('-c', header, 'clone', '-q', '--depth', '1', url, '.')
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
      const identity = ['-c', 'user.name=bare', '-c', 'user.email=bare@example.com']
      await git('add', '-A')
      await git(...identity, 'commit', '-q', '-m', message)
      await git('-c', header, 'push', '-q', 'origin', 'main')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
