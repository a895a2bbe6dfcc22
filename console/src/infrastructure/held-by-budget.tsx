import { Link } from '@tanstack/react-router'
import type { Run } from '../api/types.ts'
import { budgetFindingsOf } from './plan.ts'

/** The budgets because of which a run needs a second person, with what each of them says. */
export function HeldByBudget({ run }: { run: Run }) {
  if (!run.approvalReasons.includes('budget')) return null
  const findings = run.stages
    .flatMap(({ gates }) => gates ?? [])
    .flatMap((gate) => budgetFindingsOf(gate.findings))
  return (
    <div className="findings">
      <p>
        It needs a second person because of {findings.length > 1 ? 'budgets' : 'a budget'}.{' '}
        <Link to="/cost/budgets">Budgets</Link>
      </p>
      <ul>
        {findings.map(({ budget, message }) => (
          <li key={budget.id}>{message}</li>
        ))}
      </ul>
    </div>
  )
}
