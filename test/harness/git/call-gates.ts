import type { GitPeer } from './git-peer.ts'
import type { PeerFault, PeerRequest } from './peer-server.ts'

export type Gate = {
  /**
   * The calls about this repository since `set`. The repository's name, commits and comments are
   * replaced by `*`.
   */
  calls: string[]
  /** Resolves once a caller waits at the gate. */
  reached: Promise<string>
}
/** The nth occurrence of one call, as recorded in `calls`. */
export type GateAt = { call: string; nth: number; when: 'before' | 'after' }

type Standing = Gate & {
  at: GateAt | undefined
  isShut: boolean
  arrive: (call: string) => void
  onCall: ((call: string) => Promise<void> | void) | undefined
}

/**
 * Blocks a caller of a provider at exactly one call about a repository: `before` the provider
 * handles it, or `after` it handled it and before it answers. Later calls about the same repository
 * block too, so no other caller passes. Opening the gate closes the connections of all blocked
 * calls.
 */
export class CallGates {
  readonly #gates = new Map<string, Standing>()
  #open: () => void = () => undefined
  #opened = new Promise<void>((resolve) => (this.#open = resolve))

  constructor(peers: readonly GitPeer[]) {
    for (const { server } of peers)
      server.fault = async (request, when) => this.#meet(request, when)
  }

  /**
   * Without `at` the gate only records calls. `onAnswer` gets each handled call before its answer
   * is sent.
   */
  set(repo: string, at?: GateAt, onAnswer?: (call: string) => Promise<void> | void): Gate {
    let arrive: (call: string) => void = () => undefined
    const reached = new Promise<string>((resolve) => (arrive = resolve))
    const gate = { calls: [], reached, at, isShut: false, arrive, onCall: onAnswer }
    this.#gates.set(repo.toLowerCase(), gate)
    return gate
  }

  open(): void {
    this.#gates.clear()
    this.#open()
    this.#opened = new Promise<void>((resolve) => (this.#open = resolve))
  }

  async #meet({ method, url }: PeerRequest, when: 'before' | 'after'): Promise<PeerFault> {
    const where = decodeURIComponent(url.pathname)
    const repo = /(acme|projects\/acme\/repos)\/([\w-]+)/.exec(where)?.[2]
    const gate = repo === undefined ? undefined : this.#gates.get(`acme/${repo}`)
    if (repo === undefined || !gate) return undefined
    // The workspace has the repository's name, so the path of a file contains the name again.
    const nameless = where.replaceAll(repo, '*').replace(/[0-9a-f]{40}/g, '*')
    // Each comment has its own id.
    const call = `${method} ${nameless.replace(/(?<=\/(notes|comments)\/)\d+/, '*')}`
    if (when === 'before') gate.calls.push(call)
    else await gate.onCall?.(call)
    const { at } = gate
    if (!gate.isShut) {
      if (at?.call !== call || at.when !== when) return undefined
      if (gate.calls.filter((one) => one === call).length < at.nth) return undefined
      gate.isShut = true
      gate.arrive(`${when} ${call}, ${at.nth}`)
    }
    await this.#opened
    return 'hang-up'
  }
}
