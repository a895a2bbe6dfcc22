import { budgetFindingsOf } from '../finops/budgets/judge-reach.ts'
import type { PublicRunState } from '../runs/run-state.ts'

export type PlannedWorkspace = {
  name: string
  commit: string
  state: PublicRunState
  reason: string | null
  summary: { add: number; change: number; destroy: number } | null
  gates: ReadonlyArray<{ kind: string; result: string; findings: unknown[] }>
  /** Of the run, here. */
  url: string
}

/** Why a workspace was not planned. */
export type UnplannedWorkspace = { name: string; fault: string }

/**
 * The one comment on a pull request, with the budgets that merging it would break. Numbers and names alone: everybody who can read the repository
 * sees it, and the resources of a plan are for members.
 */
export function pullRequestComment(
  marker: string,
  planned: readonly PlannedWorkspace[],
  unplanned: readonly UnplannedWorkspace[],
): string {
  return [
    '### cloud-control',
    '',
    'What merging this would change. Nothing is applied from a pull request.',
    '',
    '| Workspace | Commit | Plan | Add | Change | Destroy | Gates |',
    '|---|---|---|---|---|---|---|',
    ...planned.map(rowOf),
    ...unplanned.map(({ name, fault }) => `| ${name} | | not planned: ${plain(fault)} | | | | |`),
    ...brokenBudgets(planned),
    '',
    marker,
  ].join('\n')
}

function brokenBudgets(planned: readonly PlannedWorkspace[]): string[] {
  const lines = planned.flatMap(({ name, gates }) =>
    budgetFindingsOf(gates)
      .filter(({ breaks }) => breaks)
      .map(({ budget }) => `- ${name} would break the budget ${plain(budget.name)}.`),
  )
  return lines.length > 0 ? ['', ...lines] : []
}

function rowOf({ name, commit, state, reason, summary, gates, url }: PlannedWorkspace): string {
  const told = reason && reason !== 'no_changes' ? ` (${reason})` : ''
  const plan =
    reason === 'no_changes' ? 'no changes' : state === 'succeeded' ? 'planned' : `${state}${told}`
  const counts = summary ? [summary.add, summary.change, summary.destroy].map(String) : ['', '', '']
  const judged = gates.map(({ kind, result }) => `${kind}: ${result}`).join(', ')
  return `| ${name} | \`${commit.slice(0, 12)}\` | [${plan}](${url}) | ${counts.join(' | ')} | ${judged} |`
}

/** Escapes a file's name: an attacker could otherwise break the table or insert a link or a mention. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|@~&:/]/g, (letter) => `&#${letter.charCodeAt(0)};`)
    .slice(0, 1_000)
