import type { PublicRunState } from '../pipelines/run-state.ts'

export type PlannedWorkspace = {
  name: string
  commit: string
  state: PublicRunState
  reason: string | null
  summary: { add: number; change: number; destroy: number } | null
  gates: ReadonlyArray<{ kind: string; result: string }>
  /** Of the run, here. */
  url: string
}

/** Why a workspace was not planned, in our own words. */
export type UnplannedWorkspace = { name: string; fault: string }

/**
 * The one comment on a pull request. Numbers and names alone: whoever may read the repository reads
 * it, and what a plan says of resources is for members.
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
    '',
    marker,
  ].join('\n')
}

function rowOf({ name, commit, state, reason, summary, gates, url }: PlannedWorkspace): string {
  const told = reason && reason !== 'no_changes' ? ` (${reason})` : ''
  const plan =
    reason === 'no_changes' ? 'no changes' : state === 'succeeded' ? 'planned' : `${state}${told}`
  const counts = summary ? [summary.add, summary.change, summary.destroy].map(String) : ['', '', '']
  const judged = gates.map(({ kind, result }) => `${kind}: ${result}`).join(', ')
  return `| ${name} | \`${commit.slice(0, 12)}\` | [${plan}](${url}) | ${counts.join(' | ')} | ${judged} |`
}

/** A file's name is its author's: it must not end the table, or become a link or a mention. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|@~&:/]/g, (letter) => `&#${letter.charCodeAt(0)};`)
    .slice(0, 1_000)
