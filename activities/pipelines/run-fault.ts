import type { MissingManifest } from '../../domain/manifest/missing-manifest.ts'
import type { RunReason } from '../../domain/runs/run-state.ts'
import type { LogLine } from '../../gateways/runner/protocol.ts'
import { JobFailure } from '../../gateways/runner/job-failure.ts'

/** A run of an application failed, with a message for people and what its log says before it. */
export class RunFault extends JobFailure {
  readonly lines: readonly string[]
  readonly level: LogLine['level']
  readonly missing: MissingManifest | undefined
  constructor(
    reason: RunReason,
    message: string,
    { lines = [], level = 'error', missing }: FaultDetails = {},
  ) {
    super(reason, message)
    this.lines = lines
    this.level = level
    this.missing = missing
  }
}

type FaultDetails = {
  lines?: readonly string[]
  level?: LogLine['level']
  /** The commit has no manifest. */
  missing?: MissingManifest
}
