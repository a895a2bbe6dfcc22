import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { conflict } from '../../domain/errors.ts'

/** `message` says what is gone, and what to do instead. */
export const notRerunnable = (message: string) => conflict('not_rerunnable', message)

export type RerunOf = { noun: 'Pipeline' | 'Workspace'; id: number; runId: number }

/** What an Idempotency-Key of a rerun is bound to: the run as it was addressed, whatever is read from it. */
export const hashOfRerun = ({ noun, id, runId }: RerunOf): Buffer =>
  createHash('sha256')
    .update(canonicalJson({ rerun: { noun, id, runId } }))
    .digest()
