import type { GitPeer } from './git-peer.ts'
import type { PeerFault, PeerRequest } from './peer-server.ts'

export type Gate = {
  /** The calls about this repository so far, from when it was set, without its name, commits and comments. */
  calls: string[]
  /** Resolves once somebody stands at it. */
  reached: Promise<string>
}
/** The nth time of one call, as `calls` tells it. */
export type GateAt = { call: string; nth: number; when: 'before' | 'after' }

type Standing = Gate & {
  at: GateAt | undefined
  isShut: boolean
  arrive: (call: string) => void
  onCall: ((call: string) => Promise<void> | void) | undefined
}

/**
 * Stops whoever calls a provider about a repository at exactly one call: `before` the provider
 * does anything, or `after` it has done it and before its answer is seen. Later calls about the
 * same repository stop too, so that nobody walks around the gate. Opening it hangs up on all of them.
 */
export class CallGates {
  readonly #gates = new Map<string, Standing>()
  #open: () => void = () => undefined
  #opened = new Promise<void>((resolve) => (this.#open = resolve))

  constructor(peers: readonly GitPeer[]) {
    for (const { server } of peers)
      server.fault = async (request, when) => this.#meet(request, when)
  }

  /** Without a place it only counts. `onAnswer` is told of each call that was done, before its answer goes out. */
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
    // Its workspace is named after it, so that a file's path holds the name once more.
    const nameless = where.replaceAll(repo, '*').replace(/[0-9a-f]{40}/g, '*')
    // Each comment has an id of its own.
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
