import type { Denial } from '../../app/audit/note-denial.ts'
import { AppError } from '../../domain/errors.ts'
import { approverRefusals, type ApproverFault } from '../../domain/runs/approver-fault.ts'

/** A refused approval; a class of its own, because it is audited. */
export class ApproverDenied extends AppError {
  readonly denial: Denial

  constructor(fault: ApproverFault, run: { id: number; label: string }) {
    const { code, because } = approverRefusals[fault]
    super('forbidden', because, { code })
    this.name = 'ApproverDenied'
    this.denial = {
      event: 'pipeline.denied',
      attempt: `approve run ${run.id}`,
      target: { kind: 'run', id: run.id, label: run.label },
      detail: { because: fault },
    }
  }
}
