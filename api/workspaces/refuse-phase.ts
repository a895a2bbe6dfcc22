import { invalid } from '../../domain/errors.ts'
import { faultOfPhase, type VariablePhase } from '../../domain/workspaces/variables.ts'

/** Throws 400 `variable_phase_refused` if a variable of this kind cannot have the phase. */
export function refusePhase(
  variable: { kind: 'terraform' | 'env'; key: string },
  phase: VariablePhase,
): void {
  const message = faultOfPhase(variable, phase)
  if (message !== undefined)
    throw invalid(message, [{ path: 'phase', message }], 'variable_phase_refused')
}
