import type { PeerAnswer } from './peer-server.ts'

type Push = { branch: string; before: string; after: string; login: string }

/**
 * The answers that the emulator lacks: who pushed ("List repository activities"), the public
 * address of an account ("Get a user"), and whether a commit's signature was verified.
 */
export class GithubAuthors {
  readonly #pushes = new Map<string, Push[]>()
  readonly #emails = new Map<string, string | null>()
  readonly #signed = new Set<string>()

  note(
    name: string,
    push: {
      branch: string
      before: string
      after: string
      email: string | undefined
      signed: boolean
    },
  ): void {
    const { branch, before, after, email, signed } = push
    const login = email === undefined ? 'peer' : `peer-${email.replaceAll(/\W/g, '-')}`
    this.#emails.set(login, email ?? null)
    this.#pushes.set(name, [{ branch, before, after, login }, ...(this.#pushes.get(name) ?? [])])
    if (signed) this.#signed.add(after)
  }

  /** Undefined for all requests that the emulator answers. */
  answer(path: string, url: URL): PeerAnswer | undefined {
    const user = /^\/users\/([^/]+)$/.exec(path)?.[1]
    if (user !== undefined && this.#emails.has(user))
      return { status: 200, json: { id: 1, login: user, email: this.#emails.get(user) ?? null } }
    const name = /^\/repos\/([^/]+\/[^/]+)\/activity$/.exec(path)?.[1]
    if (name === undefined) return undefined
    const pushes = (this.#pushes.get(name) ?? []).filter(
      ({ branch }) => `refs/heads/${branch}` === url.searchParams.get('ref'),
    )
    return {
      status: 200,
      json: pushes.map(({ branch, before, after, login }, id) => ({
        id,
        node_id: String(id),
        before,
        after,
        ref: `refs/heads/${branch}`,
        timestamp: new Date().toISOString(),
        activity_type: 'push',
        actor: { id: 1, login },
      })),
    }
  }

  /** A list of commits, each with GitHub's verification of its signature. */
  verified(path: string, raw: Buffer): Buffer {
    if (!path.endsWith('/commits')) return raw
    const rows: unknown = JSON.parse(raw.toString())
    if (!Array.isArray(rows)) return raw
    const told = rows.map((row: { sha: string; commit: object }) => {
      const verified = this.#signed.has(row.sha)
      const verification = { verified, reason: verified ? 'valid' : 'unsigned' }
      return { ...row, commit: { ...row.commit, verification } }
    })
    return Buffer.from(JSON.stringify(told))
  }
}
