import { Octokit } from '@octokit/rest'
import { changesBetween } from '../../../domain/git/changes-between.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { GitHost } from '../git-host.ts'
import { commitToGithub } from './github-commit.ts'
import { missingGithubRights } from './github-rights.ts'
import { githubPulls } from './github-pulls.ts'
import { githubContents } from './github-contents.ts'
import { headOf, place, tagOf, toRepository } from './github-repository.ts'
import { githubSource } from './github-source.ts'
import { githubFiles } from './github-trees.ts'
import { githubWebhooks } from './github-webhooks.ts'
import { octokitFetch } from './octokit-fetch.ts'
import { isStatus } from '../git-refusal.ts'
import { inTurns } from '../in-turns.ts'
import { proveToken } from '../prove-token.ts'
import { providerFetch, unreadFetch } from '../provider-fetch.ts'

const provider = 'GitHub'
const silent = () => undefined
const perPage = 100

/** GitHub and GitHub Enterprise Server, by the git data API: one commit for any number of files. */
export function githubHost(
  outbound: Outbound,
  connection: { origin: string; token: string },
): GitHost {
  const octokit = new Octokit({
    auth: connection.token,
    baseUrl: apiOf(connection.origin),
    userAgent: 'cloud-control',
    request: {
      fetch: octokitFetch(providerFetch(outbound, provider, connection.token)),
      parseSuccessResponseBody: false,
    },
    // Its warnings go to the terminal, with addresses in them.
    log: { debug: silent, info: silent, warn: silent, error: silent },
  })
  const { rest } = octokit
  const filesOf = githubFiles(octokit, unreadFetch(outbound, provider, connection.token))
  const contents = githubContents(outbound, { ...connection, api: apiOf(connection.origin) })

  return {
    ...githubSource(octokit, { filesOf, contents }),
    ...githubWebhooks(octokit),
    ...githubPulls(octokit, filesOf),

    checkToken: async () =>
      proveToken(provider, async () => (await rest.users.getAuthenticated()).data, 'id'),

    repository: async (name) => {
      const { data } = await rest.repos.get(place(name))
      const repository = toRepository(data)
      // GitHub names a default branch that an empty repository does not have yet.
      const head = await headOf(octokit, name, data.default_branch)
      return { ...repository, defaultBranch: head ? data.default_branch : null }
    },

    missingRights: async (repository, need) => missingGithubRights(octokit, repository, need),

    repositories: async ({ q, page }) => {
      const { data } = await rest.repos.listForAuthenticatedUser({
        per_page: perPage,
        page,
        sort: 'full_name',
      })
      const wanted = q?.toLowerCase() ?? ''
      return {
        repos: data
          .map(toRepository)
          .filter(({ fullName }) => fullName.toLowerCase().includes(wanted)),
        nextPage: data.length < perPage ? null : page + 1,
      }
    },

    head: async (name, branch) => headOf(octokit, name, branch),

    tag: async (name, tag) => tagOf(octokit, name, tag),

    readFile: async (name, { commit, path }) => {
      try {
        const { data } = await rest.repos.getContent({
          ...place(name),
          path,
          ref: commit,
          headers: { accept: 'application/vnd.github.object+json' },
        })
        if (Array.isArray(data) || data.type !== 'file' || !('content' in data)) return null
        // Above 1 MiB GitHub leaves the content out, and names the blob.
        const { content } =
          data.content === '' && data.size > 0
            ? (await rest.git.getBlob({ ...place(name), file_sha: data.sha })).data
            : data
        return Buffer.from(content, 'base64').toString()
      } catch (error) {
        if (isStatus(error, 404)) return null
        throw error
      }
    },

    listFiles: async (name, { commit, folder }) => {
      const { data } = await rest.git.getCommit({ ...place(name), commit_sha: commit })
      return filesOf(name, { tree: data.tree.sha, folder })
    },

    commit: async (name, request) => commitToGithub(octokit, name, request),

    createBranch: async (name, { branch, commit }) => {
      try {
        await rest.git.createRef({ ...place(name), ref: `refs/heads/${branch}`, sha: commit })
      } catch (error) {
        // Made by somebody else in between, or by our own earlier try.
        if (!isStatus(error, 422) || !(await headOf(octokit, name, branch))) throw error
      }
    },

    compare: async (name, { base, head }) => {
      // Its own comparison tells 300 files at most.
      const [before, after] = await Promise.all(
        [base, head].map(async (commit) => {
          const { data } = await rest.git.getCommit({ ...place(name), commit_sha: commit })
          return filesOf(name, { tree: data.tree.sha, folder: '' })
        }),
      )
      return inTurns(changesBetween(before ?? new Map(), after ?? new Map()))
    },

    isProtected: async (name, branch) => {
      try {
        const { data } = await rest.repos.getBranch({ ...place(name), branch })
        return data.protected
      } catch (error) {
        if (isStatus(error, 404)) return false
        throw error
      }
    },

    pullRequest: async (name, { from, into, title, body }) => {
      const { owner, repo } = place(name)
      const { data: open } = await rest.pulls.list({
        owner,
        repo,
        head: `${owner}:${from}`,
        base: into,
        state: 'open',
      })
      // Not every server heeds the filter.
      const found = open.find(({ head, base }) => head.ref === from && base.ref === into)
      const { number, html_url: url } =
        found ??
        (await rest.pulls.create({ owner, repo, head: from, base: into, title, body })).data
      return { number, url, state: 'open' as const }
    },
  }
}

/** GitHub's API has a host of its own; an Enterprise Server serves it below a path (docs: "Getting started with the REST API"). */
const apiOf = (origin: string) =>
  origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`
