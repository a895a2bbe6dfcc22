import { randomBytes } from 'node:crypto'
import { BareRepositories } from './bare-repositories.ts'
import type { GitPeer, PeerRight } from './git-peer.ts'

export type PeerProject = {
  id: number
  uuid: string
  name: string
  archived: boolean
  protectedBranches: Set<string>
  pulls: Array<{ number: number; from: string; into: string; title: string }>
  /** Names that it had before: providers redirect them. */
  formerly: string[]
}

/** What the providers written here have in common: repositories, tokens, somebody else's commits. */
export class PeerProjects {
  readonly repositories = new BareRepositories()
  readonly projects: PeerProject[] = []
  readonly tokens = new Map<string, PeerRight>()
  #nextId = Math.floor(Math.random() * 100_000) + 1

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

  /** The control that tests have over a provider, but for what is its own. */
  control(newToken: () => string): Omit<GitPeer, 'product' | 'provider' | 'server' | 'close'> {
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
          formerly: [],
        })
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
        // Nothing else went there meanwhile in any test, so a fast-forward is the merge.
        await this.repositories.git(project.name, 'update-ref', `refs/heads/${into}`, head ?? '')
        project.pulls.splice(at, 1)
      },
      edit: async (name, { branch = 'main', write = {}, remove = [], message, email }) => {
        await this.repositories.commit(this.named(name).name, {
          branch,
          write,
          remove,
          message: message ?? 'an edit',
          ...(email !== undefined && { email }),
        })
      },
      tree: async (name, branch = 'main') => this.repositories.tree(this.named(name).name, branch),
      messages: async (name, branch = 'main') =>
        this.repositories.messages(this.named(name).name, branch),
      pullRequests: async (name) =>
        this.named(name).pulls.map(({ from, into }) => ({ from, into })),
    }
  }
}
