/**
 * A refused message. `reason` is for the audit log and the administrator's trace alone: the sender gets
 * the same page for every reason.
 */
export class SamlRefusal extends Error {
  readonly reason: string

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'SamlRefusal'
    this.reason = reason
  }
}
