/**
 * A message that is not believed. `reason` is for the audit log and the administrator's
 * trace alone: whoever sent it gets one and the same page for all of them.
 */
export class SamlRefusal extends Error {
  readonly reason: string

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'SamlRefusal'
    this.reason = reason
  }
}
