import type { FileChange } from '../../../domain/git/changes-between.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import {
  bitbucketCloudRepositories,
  toRepository,
  type CloudPage,
  type CloudRepository,
} from './bitbucket-cloud-repositories.ts'
import { bitbucketCloudPulls } from './bitbucket-cloud-pulls.ts'
import { bitbucketCloudSource } from './bitbucket-cloud-source.ts'
import { bitbucketCloudWebhooks } from './bitbucket-cloud-webhooks.ts'
import { gitAuthorization } from '../git-authorization.ts'
import { maxChanges, type CommitRequest, type GitHost } from '../git-host.ts'
import { withSnapshot, type Remote } from '../git-snapshot.ts'
import { GitRefusal, isStatus, refusalOf } from '../git-refusal.ts'
import { branchProtected, headMoved } from '../head-moved.ts'
import { multipartForm } from '../multipart-form.ts'
import { inPath, jsonClient, type JsonClient } from '../json-client.ts'
import { providerFetch } from '../provider-fetch.ts'
import { readBySnapshot } from '../read-by-snapshot.ts'

const provider = 'Bitbucket'
const perPage = 100

type CloudRef = { name: string; target: { hash: string } }

/** Bitbucket Cloud, by its multi-file `src` endpoint: `parents` is the expected head. */
export function bitbucketCloudHost(
  outbound: Outbound,
  { origin, token }: { origin: string; token: string },
): GitHost {
  const email = token.includes(':') ? token.slice(0, token.indexOf(':')) : undefined
  const secret = email === undefined ? token : token.slice(email.length + 1)
  const client = jsonClient(providerFetch(outbound, provider, token), {
    baseUrl: apiOf(origin),
    authorization: email === undefined ? `Bearer ${token}` : basic(email, secret),
  })
  const remoteOf = (name: string): Remote => ({
    url: `${origin}/${name}.git`,
    authorization: gitAuthorization('bitbucket-cloud', token),
    provider,
  })
  const at = (name: string) => `/repositories/${inPath(name)}`

  return {
    ...bitbucketCloudRepositories(client),
    ...bitbucketCloudSource(client, readBySnapshot(outbound, remoteOf)),
    ...bitbucketCloudWebhooks(client),
    ...bitbucketCloudPulls(client),

    repository: async (name) => {
      const repository = toRepository(await client.get<CloudRepository>(at(name)))
      const { defaultBranch } = repository
      const head = defaultBranch && (await headOf(client, name, defaultBranch))
      return { ...repository, defaultBranch: head ? defaultBranch : null }
    },

    missingRights: async ({ fullName }, need) => {
      const headers = await client.head(at(fullName))
      const scopes = (headers.get('x-oauth-scopes') ?? '').split(',').map((text) => text.trim())
      const enough = need === 'write' ? writing : [...reading, ...writing]
      return scopes.some((scope) => enough.includes(scope)) ? [] : [enough[0] ?? '']
    },

    head: async (name, branch) => headOf(client, name, branch),

    tag: async (name, tag) => refOf(client, name, `tags/${inPath(tag)}`),

    readFile: async (name, { commit, path }) => {
      try {
        return await client.text(`${at(name)}/src/${commit}/${inPath(path)}`)
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    // The API tells no blob ids; git does, in two requests for any number of files.
    listFiles: async (name, { branch, commit, folder }) =>
      withSnapshot(outbound, remoteOf(name), {
        branch,
        commit,
        work: async (snapshot) => snapshot.files(folder),
      }),

    commit: async (name, request) => commitToCloud(client, name, request),

    createBranch: async (name, { branch, commit }) => {
      try {
        await client.post(`${at(name)}/refs/branches`, { name: branch, target: { hash: commit } })
      } catch (error) {
        if (!isStatus(error, 400, 409) || !(await headOf(client, name, branch))) throw error
      }
    },

    compare: async (name, { base, head }) => {
      type Side = { path: string } | null
      type Stat = { status: string; old?: Side; new?: Side }
      const found: FileChange[] = []
      const address = `${at(name)}/diffstat/${head}..${base}`
      for await (const { status, ...paths } of client.list<Stat>(address, { pagelen: perPage })) {
        if (found.length >= maxChanges) break
        const [was, is] = [paths.old?.path, paths.new?.path]
        // A file that was moved is a change of the folder that it left, too.
        if (was !== undefined && is !== undefined && was !== is)
          found.push({ path: was, change: 'removed' })
        found.push({
          path: is ?? was ?? '',
          change: status === 'added' || status === 'removed' ? status : 'modified',
        })
      }
      return found
    },

    isProtected: async (name, branch) => {
      try {
        const { values } = await client.get<CloudPage<{ kind: string; pattern?: string }>>(
          `${at(name)}/branch-restrictions`,
          { pattern: branch, kind: 'push' },
        )
        return values.length > 0
      } catch (error) {
        // Only administrators may look: then the commit itself tells.
        if (isStatus(error, 403, 404)) return false
        throw error
      }
    },

    pullRequest: async (name, { from, into, title, body }) => {
      type Request = { id: number; links: { html: { href: string } } }
      const { values } = await client.get<CloudPage<Request>>(`${at(name)}/pullrequests`, {
        state: 'OPEN',
        q: `source.branch.name = "${from}" AND destination.branch.name = "${into}"`,
      })
      const found =
        values[0] ??
        (
          await client.post<Request>(`${at(name)}/pullrequests`, {
            title,
            description: body,
            source: { branch: { name: from } },
            destination: { branch: { name: into } },
          })
        ).data
      if (!found) throw new Error('no pull request')
      return { number: found.id, url: found.links.html.href, state: 'open' as const }
    },
  }
}

/**
 * Scopes of access tokens, and those of a person's API token (Atlassian, "Using API tokens").
 * `repository:write` includes reading, and `repository:admin` includes neither.
 */
const reading = ['repository', 'read:repository:bitbucket']
const writing = ['repository:write', 'write:repository:bitbucket']

const apiOf = (origin: string) =>
  origin === 'https://bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${origin}/2.0`

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const headOf = async (client: JsonClient, name: string, branch: string) =>
  refOf(client, name, `branches/${inPath(branch)}`)

/** The commit, also where an annotated tag is between. */
async function refOf(client: JsonClient, name: string, ref: string): Promise<string | null> {
  try {
    const { target } = await client.get<CloudRef>(`/repositories/${inPath(name)}/refs/${ref}`)
    return target.hash
  } catch (error) {
    if (isStatus(error, 404)) return null
    throw error
  }
}

async function commitToCloud(
  client: JsonClient,
  name: string,
  { branch, expectedHead, message, change }: CommitRequest,
): Promise<string> {
  // Without a parent the endpoint would commit on top of whatever is there by then.
  if (expectedHead === null && (await headOf(client, name, branch))) throw headMoved()
  const form = multipartForm([
    { name: 'message', value: message },
    { name: 'branch', value: branch },
    ...(expectedHead ? [{ name: 'parents', value: expectedHead }] : []),
    // The leading slash keeps a file named `message` apart from the field.
    ...Object.entries(change.write).map(([path, value]) => ({
      name: `/${path}`,
      value,
      file: true,
    })),
    ...change.remove.map((path) => ({ name: 'files', value: `/${path}` })),
  ])
  try {
    const { headers } = await client.post(`/repositories/${inPath(name)}/src`, form)
    const made = /\/commit\/([0-9a-f]{40})/.exec(headers.get('location') ?? '')?.[1]
    return made ?? (await headOf(client, name, branch)) ?? ''
  } catch (error) {
    if (isStatus(error, 409)) throw headMoved()
    const refusal = refusalOf(error)
    if (refusal instanceof GitRefusal && isStatus(error, 400, 403)) {
      if ((await headOf(client, name, branch)) !== expectedHead) throw headMoved()
      // A 403 names no code, and its words are not documented. Only the pull request tells whether
      // the branch is restricted or the token may not write at all: it is tried next.
      const forbidden = isStatus(error, 403) && refusal.code !== 'git_rate_limited'
      if (
        forbidden ||
        /restrict|permission to (push|write)|pull request/i.test(refusal.reason ?? '')
      )
        throw branchProtected(refusal.reason)
    }
    throw error
  }
}
