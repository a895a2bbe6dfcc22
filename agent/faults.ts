/** The deployment fails with this. The first word of the message is its code, for the service. */
export class Refusal extends Error {
  readonly code: string
  /** Whether the release itself was refused, and not this host's state. */
  readonly refused: boolean

  constructor(code: string, message: string, { refused = false } = {}) {
    super(`${code}: ${message}`)
    this.code = code
    this.refused = refused
  }
}

/** Bytes that are not what was signed and approved. */
export const refuseRelease = (code: string, message: string): Refusal =>
  new Refusal(code, message, { refused: true })

/**
 * Why work on a deployment ends early. After all but `stopped` the agent changes nothing more. `result_refused`: the
 * service cannot read the result.
 */
export type Halt = 'stopped' | 'lease_lost' | 'ending' | 'result_refused'

export class Halted extends Error {
  readonly halt: Halt

  constructor(halt: Halt) {
    super(halt)
    this.halt = halt
  }
}

export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
