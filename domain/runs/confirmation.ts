/** Which plans of a standard workspace wait for a confirmation. Each asks for more than the one before. */
export const confirmModes = ['none', 'destroys', 'always'] as const
export type ConfirmMode = (typeof confirmModes)[number]

export type ConfirmablePlan = {
  /** Who started the run asked for it. */
  confirm: boolean
  /** The run is to destroy everything. */
  destroy: boolean
  /** As OpenTofu counts: a replacement is one to add and one to destroy. Null where it is not known. */
  summary: { destroy?: unknown } | null
}

/** Whether a plan waits until a person confirms it. Production waits for a second person instead. */
export function needsConfirmation(mode: ConfirmMode, plan: ConfirmablePlan): boolean {
  if (plan.confirm || mode === 'always') return true
  return mode === 'destroys' && (plan.destroy || mayDestroy(plan))
}

/** Fails closed: a plan of which nobody counted what it destroys may destroy anything. */
const mayDestroy = ({ summary }: ConfirmablePlan): boolean => summary?.destroy !== 0

export const isWeakerConfirm = (now: ConfirmMode, next: ConfirmMode): boolean =>
  confirmModes.indexOf(next) < confirmModes.indexOf(now)
