import type { Outbound } from '../outbound/outbound.ts'
import { bitbucketCloudPulls } from './bitbucket-cloud-pulls.ts'
import { bitbucketCloudSource } from './bitbucket-cloud-source.ts'
import { bitbucketCloudWebhooks } from './bitbucket-cloud-webhooks.ts'
import { gitAuthorization } from './git-authorization.ts'
import type { CommitRequest, GitHost, GitRepository } from './git-host.ts'
import { withSnapshot, type Remote } from './git-snapshot.ts'
import { GitRefusal, isStatus, refusalOf } from './git-refusal.ts'
import { asked, branchProtected, headMoved } from './head-moved.ts'
import { multipartForm } from './multipart-form.ts'
import { inPath, jsonClient, type JsonClient } from './json-client.ts'
import { proveToken } from './prove-token.ts'
import { providerFetch } from './provider-fetch.ts'
import { readBySnapshot } from './read-by-snapshot.ts'

const provider = 'Bitbucket'
const perPage = 100

type CloudPage<T> = { values: T[]; next?: string }
type CloudRepository = {
  uuid: string
  full_name: string
  is_private: boolean
  mainbranch?: { name: string } | null
}
type CloudBranch = { name: string; target: { hash: string } }

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
    ...bitbucketCloudSource(client, readBySnapshot(outbound, remoteOf)),
    ...bitbucketCloudWebhooks(client),
    ...bitbucketCloudPulls(client),

    checkToken: async () =>
      // A repository's access token is nobody's, so `/user` would refuse it.
      proveToken(
        provider,
        async () => client.get('/repositories', { role: 'member', pagelen: 1 }),
        'values',
      ),

    repository: async (name) =>
      asked(provider, async () => {
        const repository = toRepository(await client.get<CloudRepository>(at(name)))
        const { defaultBranch } = repository
        const head = defaultBranch && (await headOf(client, name, defaultBranch))
        return { ...repository, defaultBranch: head ? defaultBranch : null }
      }),

    missingRights: async ({ fullName }, need) =>
      asked(provider, async () => {
        const headers = await client.head(at(fullName))
        const scopes = (headers.get('x-oauth-scopes') ?? '').split(',').map((text) => text.trim())
        // `repository:write` includes reading, and `repository:admin` includes neither.
        const enough = need === 'write' ? ['repository:write'] : ['repository', 'repository:write']
        return scopes.some((scope) => enough.includes(scope)) ? [] : [enough[0] ?? '']
      }),

    repositories: async ({ q, page }) =>
      asked(provider, async () => {
        const { values, next } = await client.get<CloudPage<CloudRepository>>('/repositories', {
          role: 'member',
          pagelen: perPage,
          page,
          ...(q && { q: `full_name ~ "${q.replace(/["\\]/g, '')}"` }),
        })
        return { repos: values.map(toRepository), nextPage: next ? page + 1 : null }
      }),

    head: async (name, branch) => asked(provider, async () => headOf(client, name, branch)),

    readFile: async (name, { commit, path }) =>
      asked(provider, async () => {
        try {
          return await client.text(`${at(name)}/src/${commit}/${inPath(path)}`)
        } catch (error) {
          if (isStatus(error, 404)) return null
          throw error
        }
      }),

    // The API tells no blob ids; git does, in two requests for any number of files.
    listFiles: async (name, { branch, commit, folder }) =>
      asked(provider, async () =>
        withSnapshot(outbound, remoteOf(name), {
          branch,
          commit,
          work: async (snapshot) => snapshot.files(folder),
        }),
      ),

    commit: async (name, request) =>
      asked(provider, async () => commitToCloud(client, name, request)),

    createBranch: async (name, { branch, commit }) =>
      asked(provider, async () => {
        try {
          await client.post(`${at(name)}/refs/branches`, { name: branch, target: { hash: commit } })
        } catch (error) {
          if (!isStatus(error, 400, 409) || !(await headOf(client, name, branch))) throw error
        }
      }),

    compare: async (name, { base, head }) =>
      asked(provider, async () => {
        type Stat = { status: string; old?: { path: string }; new?: { path: string } }
        const found = []
        for (let page = 1; ; page += 1) {
          const { values, next } = await client.get<CloudPage<Stat>>(
            `${at(name)}/diffstat/${head}..${base}`,
            { page, pagelen: perPage },
          )
          for (const { status, ...paths } of values)
            found.push({
              path: paths.new?.path ?? paths.old?.path ?? '',
              change: status === 'added' || status === 'removed' ? status : ('modified' as const),
            } as const)
          if (!next) return found
        }
      }),

    isProtected: async (name, branch) =>
      asked(provider, async () => {
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
      }),

    pullRequest: async (name, { from, into, title, body }) =>
      asked(provider, async () => {
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
      }),
  }
}

const apiOf = (origin: string) =>
  origin === 'https://bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${origin}/2.0`

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

async function headOf(client: JsonClient, name: string, branch: string): Promise<string | null> {
  try {
    const { target } = await client.get<CloudBranch>(
      `/repositories/${inPath(name)}/refs/branches/${inPath(branch)}`,
    )
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
      if (/restrict|permission to (push|write)|pull request/i.test(refusal.reason ?? ''))
        throw branchProtected(refusal.reason)
    }
    throw error
  }
}

const toRepository = (repository: CloudRepository): GitRepository => ({
  id: repository.uuid,
  fullName: repository.full_name,
  defaultBranch: repository.mainbranch?.name ?? null,
  private: repository.is_private,
  // Cloud knows no archived repositories.
  archived: false,
})
