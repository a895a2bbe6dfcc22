import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import type { HttpClient } from 'isomorphic-git'
import { conflict, unavailable } from '../../domain/errors.ts'
import { unsafeTreePath } from '../../domain/git/tree-path.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { headersOf } from '../outbound/outbound-fetch.ts'
import { checkPack } from './check-pack.ts'
import { GitRefusal } from './git-refusal.ts'
import { headMoved } from './head-moved.ts'
import { tooLarge } from './too-large.ts'

export type Remote = {
  url: string
  authorization: string
  provider: string
  maxPackBytes?: number
}

export type Snapshot = {
  fs: typeof fs
  gitdir: string
  http: HttpClient
  /** The library's, of this folder: without it each object is a read and a check of the whole pack. */
  cache: object
  /** Path → blob id below a folder. */
  files(folder: string): Promise<Map<string, string>>
}

const maxPackBytes = 256 * 1024 * 1024
/**
 * Of a folder and all below it. A tree may have the same folder under many names, so that some trees
 * make more paths than memory holds (a "git bomb").
 */
const maxEntries = 100_000
const maxPathBytes = 16 * 1_048_576

/**
 * One commit of a branch, fetched by git itself into a folder that is gone afterwards. The
 * credential travels as a header of each request and is written nowhere.
 */
export async function withSnapshot<T>(
  outbound: Outbound,
  remote: Remote,
  {
    branch,
    commit,
    work,
  }: { branch: string; commit: string | null; work: (s: Snapshot) => Promise<T> },
): Promise<T> {
  const gitdir = await mkdtemp(join(tmpdir(), 'cc-git-'))
  const http = gitHttp(outbound, remote)
  const cache = {}
  try {
    await git.init({ fs, gitdir, dir: gitdir, bare: true, defaultBranch: branch })
    if (commit !== null) {
      await git.addRemote({ fs, gitdir, remote: 'origin', url: remote.url })
      const { fetchHead } = await git.fetch({
        fs,
        http,
        gitdir,
        cache,
        remote: 'origin',
        ref: branch,
        singleBranch: true,
        depth: 1,
        tags: false,
      })
      if (fetchHead !== commit) throw headMoved()
    }
    return await work({
      fs,
      gitdir,
      http,
      cache,
      files: async (folder) => (commit ? filesBelow({ gitdir, cache, commit, folder }) : new Map()),
    })
  } catch (error) {
    throw nameTreePath(error, '')
  } finally {
    await rm(gitdir, { recursive: true, force: true })
  }
}

/** git's library names the entry alone, without the folder that it is in. */
const nameTreePath = (error: unknown, prefix: string): unknown =>
  error instanceof git.Errors.UnsafeFilepathError
    ? unsafeTreePath(`${prefix}${error.data.filepath}`)
    : error

async function filesBelow(at: { gitdir: string; cache: object; commit: string; folder: string }) {
  const files = new Map<string, string>()
  let [entries, pathBytes] = [0, 0]
  const treeOf = async (oid: string, prefix: string) =>
    git.readTree({ fs, gitdir: at.gitdir, cache: at.cache, oid }).catch((error: unknown) => {
      throw nameTreePath(error, prefix)
    })
  const walk = async (oid: string, prefix: string): Promise<void> => {
    const { tree } = await treeOf(oid, prefix)
    for (const entry of tree) {
      const path = `${prefix}${entry.path}`
      entries += 1
      pathBytes += path.length
      if (entries > maxEntries || pathBytes > maxPathBytes)
        throw conflict('git_repository_too_large', 'The folder has too many files to be read.')
      if (entry.type === 'tree') await walk(entry.oid, `${path}/`)
      else files.set(path, entry.oid)
    }
  }
  let [oid, prefix] = [at.commit, '']
  for (const name of at.folder.split('/').filter(Boolean)) {
    const { tree } = await treeOf(oid, prefix)
    const found = tree.find(({ path, type }) => path === name && type === 'tree')
    if (!found) return files
    oid = found.oid
    prefix += `${name}/`
  }
  await walk(oid, prefix)
  return files
}

/** git's smart HTTP over the checked way out. */
function gitHttp(
  outbound: Outbound,
  { authorization, provider, maxPackBytes: most = maxPackBytes }: Remote,
): HttpClient {
  return {
    async request({ url, method = 'GET', headers = {}, body }) {
      const chunks: Uint8Array[] = []
      for await (const chunk of body ?? []) chunks.push(chunk)
      const answer = await outbound
        .request(url, {
          use: 'git',
          method,
          headers: { ...headers, authorization },
          timeoutMs: 120_000,
          maxBytes: most,
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        })
        .catch((error: unknown) => {
          throw tooLarge(provider, error)
        })
      if (answer.status >= 400)
        throw new GitRefusal(provider, { status: answer.status, headers: headersOf(answer) })
      if (answer.status >= 300)
        throw unavailable('git_provider_unavailable', `${provider} redirects its repositories.`)
      if (url.endsWith('/git-upload-pack')) await checkPack(answer.body)
      return {
        url,
        method,
        statusCode: answer.status,
        statusMessage: '',
        headers: Object.fromEntries(
          Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: (async function* () {
          yield new Uint8Array(answer.body)
        })(),
      }
    },
  }
}
