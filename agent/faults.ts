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

/** Why work on a deployment ends early. After the last two the agent changes nothing more. */
export type Halt = 'stopped' | 'lease_lost' | 'ending'

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
