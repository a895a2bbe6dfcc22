import { randomBytes } from 'node:crypto'
import { BareRepositories } from './bare-repositories.ts'
import type { GitProduct } from '../../../domain/git/providers.ts'
import type { GitPeer, PeerRight } from './git-peer.ts'
import { deliver, type PeerHook } from './webhook-delivery.ts'

export type PeerPull = {
  number: number
  from: string
  into: string
  title: string
  fork?: boolean
  closed?: boolean
  comments?: Array<{ id: number; text: string; version: number }>
}

export type PeerProject = {
  id: number
  uuid: string
  name: string
  archived: boolean
  protectedBranches: Set<string>
  pulls: PeerPull[]
  hooks: PeerHook[]
  /** Former names. Providers redirect them. */
  formerly: string[]
  pushes: PeerPush[]
}

/** A push: the account, and the branch's commits before and after it. */
export type PeerPush = { branch: string; before: string; after: string; account: number }
export type PeerAccount = { id: number; email: string | null }

const nothing = '0'.repeat(40)

/** The data that all test peers share: repositories, tokens, and commits by others. */
export class PeerProjects {
  readonly repositories = new BareRepositories()
  readonly projects: PeerProject[] = []
  readonly tokens = new Map<string, PeerRight>()
  hooksAllowed = true
  /** For GitLab: whether its version signs webhooks. */
  signsHooks = true
  #nextId = Math.floor(Math.random() * 100_000) + 1

  /** Commits whose signature the host has verified. */
  readonly signed = new Set<string>()
  readonly accounts: PeerAccount[] = []

  /** Records the branch's current head as a push by the account with this address. */
  async noteHead(
    project: PeerProject,
    {
      branch,
      before,
      email = null,
    }: { branch: string; before: string | null; email?: string | null },
  ): Promise<void> {
    const after = (await this.repositories.head(project.name, branch)) ?? nothing
    let account = this.accounts.find((known) => known.email === email)
    if (!account) this.accounts.push((account = { id: this.accounts.length + 100, email }))
    project.pushes.unshift({ branch, before: before ?? nothing, after, account: account.id })
  }

  find(name: string): PeerProject | undefined {
    const wanted = name.toLowerCase()
    return (
      this.projects.find((project) => project.name.toLowerCase() === wanted) ??
      this.projects.find((project) => project.formerly.includes(wanted))
    )
  }
  named(name: string): PeerProject {
    const found = this.find(name)
    if (!found) throw new Error(`no project ${name}`)
    return found
  }

  /** The changes since the merge base of the two branches. */
  async changesOf(project: PeerProject, { into, from }: { into: string; from: string }) {
    const base = await this.repositories.git(project.name, 'merge-base', into, from)
    return this.repositories.changes(project.name, base.trim(), from)
  }

  comment(pull: PeerPull, text: string) {
    const comment = { id: Math.floor(Math.random() * 1e9), text, version: 0 }
    pull.comments = [...(pull.comments ?? []), comment]
    return comment
  }

  /** The test controls that all peers share. */
  control(
    product: GitProduct,
    newToken: () => string,
  ): Omit<GitPeer, 'product' | 'provider' | 'server' | 'close'> {
    return {
      createRepository: async (name, files) => {
        await this.repositories.create(name, files)
        const hex = randomBytes(16).toString('hex')
        const uuid = `{${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}}`
        this.#nextId += 1
        this.projects.push({
          id: this.#nextId,
          uuid,
          name,
          archived: false,
          protectedBranches: new Set(),
          pulls: [],
          hooks: [],
          formerly: [],
          pushes: [],
        })
        if (files) await this.noteHead(this.named(name), { branch: 'main', before: null })
      },
      token: (right = 'write') => {
        const token = newToken()
        this.tokens.set(token, right)
        return token
      },
      revoke: (token) => void this.tokens.delete(token),
      archive: async (name) => void (this.named(name).archived = true),
      unarchive: async (name) => void (this.named(name).archived = false),
      rename: async (from, to) => {
        const project = this.named(from)
        this.repositories.rename(project.name, to)
        project.formerly.push(project.name.toLowerCase())
        project.name = to
      },
      protect: async (name, branch) => void this.named(name).protectedBranches.add(branch),
      merge: async (name, { from, into }) => {
        const project = this.named(name)
        const at = project.pulls.findIndex((pull) => pull.from === from && pull.into === into)
        if (at < 0) throw new Error(`no pull request from ${from} into ${into}`)
        const head = await this.repositories.head(project.name, from)
        // No test changes the target branch meanwhile, so a fast-forward equals the merge.
        await this.repositories.git(project.name, 'update-ref', `refs/heads/${into}`, head ?? '')
        project.pulls.splice(at, 1)
      },
      edit: async (name, change) => {
        const { branch = 'main', write = {}, remove = [], message, email, signed, pusher } = change
        const project = this.named(name)
        const before = (await this.repositories.head(project.name, branch)) ?? null
        if (change.onTopOf !== undefined)
          await this.repositories.git(
            project.name,
            'update-ref',
            `refs/heads/${branch}`,
            `refs/heads/${change.onTopOf}`,
          )
        const made = await this.repositories.commit(project.name, {
          branch,
          write,
          remove,
          message: message ?? 'an edit',
          ...(email !== undefined && { email }),
        })
        if (signed) this.signed.add(made)
        await this.noteHead(project, { branch, before, email: pusher ?? null })
      },
      path: (name: string) => this.repositories.path(this.named(name).name),
      tree: async (name, branch = 'main') => this.repositories.tree(this.named(name).name, branch),
      messages: async (name, branch = 'main') =>
        this.repositories.messages(this.named(name).name, branch),
      openPull: async (name, { from, into = 'main', fork = false }) => {
        const { pulls } = this.named(name)
        const number = pulls.length + 1
        pulls.push({ number, from, into, title: 'a change', fork })
        return number
      },
      branch: async (name, from, branch) => {
        const head = await this.repositories.head(name, from)
        await this.repositories.git(name, 'update-ref', `refs/heads/${branch}`, head ?? '')
      },
      tag: async (name, tag) => {
        const at = this.named(name).name
        await this.repositories.git(at, 'update-ref', `refs/tags/${tag}`, 'refs/heads/main')
      },
      comments: async (name, number) =>
        (this.named(name).pulls[number - 1]?.comments ?? []).map(({ text }) => text),
      removeComments: async (name, number) => {
        const pull = this.named(name).pulls[number - 1]
        if (pull) pull.comments = []
      },
      hooks: async (name) => this.named(name).hooks,
      allowHooks: (allowed) => void (this.hooksAllowed = allowed),
      deliver: async (name, event, how) => {
        const [hook] = this.named(name).hooks
        if (!hook) throw new Error(`${name} has no webhook`)
        const commit = 'push' in event ? await this.repositories.head(name, event.push) : undefined
        const told = 'push' in event ? { ...event, commit: commit ?? '' } : event
        return deliver(product, { hook, repository: name, event: told }, how)
      },
      pullRequests: async (name) =>
        this.named(name)
          .pulls.filter(({ closed }) => !closed)
          .map(({ from, into }) => ({ from, into })),
    }
  }
}
