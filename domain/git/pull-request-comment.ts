import { budgetFindingsOf } from '../finops/budgets/judge-reach.ts'
import type { PublicRunState } from '../runs/run-state.ts'

export type PlannedWorkspace = {
  name: string
  commit: string
  state: PublicRunState
  reason: string | null
  summary: { import?: number; add: number; change: number; destroy: number } | null
  gates: ReadonlyArray<{ kind: string; result: string; findings: unknown[] }>
  /** Of the run, here. */
  url: string
}

/** Why a workspace was not planned. */
export type UnplannedWorkspace = { name: string; fault: string }

export type Others = {
  unplanned?: readonly UnplannedWorkspace[]
  /** How many planned workspaces there are beside the given ones: the last ones in the order of `rankOf`. */
  more?: number
}

/** Bitbucket refuses more than 32,768 characters, and GitHub more than 65,536. */
const maxCharacters = 30_000
/** Of these for the budgets, so that many of them do not displace the workspaces. */
const maxOfBudgets = 8_000
/** For each of the two sentences that say how many more there are. */
const reserved = 40

/**
 * The one comment on a pull request, with the budgets that merging it would break. Numbers and names alone: everybody who can read the repository
 * sees it, and the resources of a plan are for members. As many workspaces as fit: hosts refuse a longer comment.
 */
export function pullRequestComment(
  marker: string,
  planned: readonly PlannedWorkspace[],
  { unplanned = [], more = 0 }: Others = {},
): string {
  const head = [
    '### cloud-control',
    '',
    'What merging this would change. Nothing is applied from a pull request.',
    '',
    '| Workspace | Commit | Plan | Add | Change | Destroy | Gates |',
    '|---|---|---|---|---|---|---|',
  ]
  const budgets = brokenBudgets(planned, more)
  const tail = [...budgets, '', marker]
  const rows: Row[] = [
    ...planned.map((workspace) => ({ rank: rankOf(workspace), text: rowOf(workspace) })),
    ...unplanned.map(({ name, fault }) => ({
      rank: 0,
      text: `| ${name} | | not planned: ${plain(fault)} | | | | |`,
    })),
  ]
  const left = maxCharacters - lengthOf(head) - lengthOf(tail)
  return [...head, ...fittingRows(rows, { characters: left, more }), ...tail].join('\n')
}

/** Rank 0 is left out last. */
type Row = { rank: number; text: string }

function rankOf({ state, reason }: PlannedWorkspace): number {
  if (state === 'failed' || state === 'canceled') return 0
  return reason === 'no_changes' ? 2 : 1
}

function fittingRows(
  rows: readonly Row[],
  { characters, more }: { characters: number; more: number },
): string[] {
  const texts = rows.map(({ text }) => text)
  if (more === 0 && lengthOf(texts) <= characters) return texts
  const ranked = rows.toSorted((one, other) => one.rank - other.rank).map(({ text }) => text)
  const shown = fitting(ranked, characters - reserved)
  return [...shown, '', `… and ${rows.length - shown.length + more} more workspaces.`]
}

function brokenBudgets(planned: readonly PlannedWorkspace[], moreWorkspaces: number): string[] {
  const lines = planned.flatMap(({ name, gates }) =>
    budgetFindingsOf(gates)
      .filter(({ breaks }) => breaks)
      .map(({ budget }) => `- ${name} would break the budget ${plain(budget.name)}.`),
  )
  const shown = fitting(lines, maxOfBudgets - reserved * (moreWorkspaces > 0 ? 2 : 1))
  const more = lines.length - shown.length
  return [
    ...(shown.length > 0 ? ['', ...shown] : []),
    ...(more > 0 ? ['', `… and ${more} more budgets.`] : []),
    // Otherwise a reader would take it that the workspaces which are left out break none.
    ...(moreWorkspaces > 0
      ? ['', `Budgets of ${moreWorkspaces} more workspaces are not shown.`]
      : []),
  ]
}

/** As many lines from the first one on as have so many characters. */
function fitting(lines: readonly string[], characters: number): string[] {
  let left = characters
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0)
  return lines.slice(0, end === -1 ? lines.length : end)
}

/** With a line break for each. */
const lengthOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0)

function rowOf({ name, commit, state, reason, summary, gates, url }: PlannedWorkspace): string {
  const told = reason && reason !== 'no_changes' ? ` (${reason})` : ''
  const plan =
    reason === 'no_changes' ? 'no changes' : state === 'succeeded' ? 'planned' : `${state}${told}`
  const imports = summary?.import ? `, ${summary.import} to import` : ''
  const counts = summary ? [summary.add, summary.change, summary.destroy].map(String) : ['', '', '']
  const judged = gates.map(({ kind, result }) => `${kind}: ${result}`).join(', ')
  return `| ${name} | \`${commit.slice(0, 12)}\` | [${plan}](${url})${imports} | ${counts.join(' | ')} | ${judged} |`
}

/** Escapes a file's name: an attacker could otherwise break the table or insert a link or a mention. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|@~&:/]/g, (letter) => `&#${letter.charCodeAt(0)};`)
    .slice(0, 1_000)
