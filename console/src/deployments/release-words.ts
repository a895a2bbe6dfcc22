import type { AnyRunDetail, RunHost } from '../api/types.ts'
import { plural, whoMayBeInvited } from '../api/words.ts'
import type { Look } from '../parts/run-look.ts'

/** The state of a host in a deployment. */
export const hostLooks: Record<RunHost['state'], Look> = {
  pending: { tone: 'quiet', icon: 'queued', word: 'Not begun' },
  updating: { tone: 'info', icon: 'running', word: 'Updating' },
  staged: { tone: 'info', icon: 'waiting', word: 'Staged' },
  healthy: { tone: 'good', icon: 'done', word: 'Healthy' },
  failed: { tone: 'bad', icon: 'failed', word: 'Failed' },
  rolling_back: { tone: 'warn', icon: 'running', word: 'Going back' },
  rolled_back: { tone: 'warn', icon: 'outdated', word: 'Went back' },
  stuck: { tone: 'bad', icon: 'refused', word: 'Could not go back' },
  unreachable: { tone: 'quiet', icon: 'none', word: 'Unreachable' },
}

/** In the order in which a person looks for trouble. */
export const hostStates: ReadonlyArray<RunHost['state']> = [
  'stuck',
  'failed',
  'unreachable',
  'rolling_back',
  'updating',
  'staged',
  'pending',
  'rolled_back',
  'healthy',
]

const warnings: Readonly<Record<string, string>> = {
  no_sbom: 'There is no bill of materials of this artifact.',
  hosts_failed: 'Some hosts failed, no more than the strategy allows.',
  mixed_releases:
    'Some hosts could not go back, so hosts have different releases. They come first in the next run.',
  no_agents: 'No agent of the target is online.',
  no_eligible_approver: `Nobody here may approve it. ${whoMayBeInvited('pipeline')}`,
}

/** A warning of a run in a sentence. One that a newer service has is named by its code. */
export const warningWords = (code: string): string =>
  warnings[code] ?? `${code.replaceAll('_', ' ').replace(/^./, (one) => one.toUpperCase())}.`

type Triggered = Pick<AnyRunDetail, 'trigger' | 'commit' | 'author'>

/** What started the run. */
export function triggerWords({ trigger, commit, author }: Triggered): string {
  switch (trigger?.kind) {
    case 'push':
      return `a push to ${commit?.branch ?? 'the branch'}`
    case 'tag':
      return `the tag ${commit?.tag ?? ''}`.trim()
    case 'schedule':
      return 'a schedule'
    case 'promotion':
      return `${author.label}, with the artifact of another run`
    case 'rollback':
      return `${author.label}, to go back`
    default:
      return author.label
  }
}

type Deployment = NonNullable<AnyRunDetail['deployment']>

/** The step after which the deployment waits for a person; undefined if the release itself waits, or nothing. */
export const waitingStep = ({ deployment }: Pick<AnyRunDetail, 'deployment'>): number | undefined =>
  deployment?.confirm ?? undefined

/** How far a deployment is. Before it begins: how it would go. */
export function progressWords({ batch, batches, hosts, strategy }: Deployment): string {
  const ways = `${strategy}, ${plural(batches, 'batch', 'batches')}`
  if (batch === 0) return `${plural(hosts.pending, 'host')} in ${ways}`
  return `batch ${batch} of ${batches} (${strategy})`
}

/** What a run would bring where, for the person who decides. */
export function whatItReleases({
  commits = [],
  commitsTruncated,
  deployment,
  rollbackOf,
}: Pick<AnyRunDetail, 'commits' | 'commitsTruncated' | 'deployment' | 'rollbackOf'>): string {
  const what =
    rollbackOf != null
      ? 'It brings an earlier release back'
      : `It brings ${commits.length === 0 ? 'a release' : `${commitsTruncated ? 'more than ' : ''}${plural(commits.length, 'commit')}`}`
  if (!deployment) return `${what}.`
  const { hosts } = deployment
  const away =
    hosts.unreachable > 0
      ? ` ${plural(hosts.unreachable, 'host is', 'hosts are')} offline and ${hosts.unreachable === 1 ? 'catches' : 'catch'} up when ${hosts.unreachable === 1 ? 'it returns' : 'they return'}.`
      : ''
  return `${what} to ${progressWords(deployment)}.${away}`
}

const units = ['B', 'KiB', 'MiB', 'GiB'] as const

/** A size as people say it: three digits at most. */
export function sizeWords(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${units[power]}`
}

/** Why a release makes no progress, and who can act. */
export function blockedReleaseWords(
  run: Pick<AnyRunDetail, 'blockedBy' | 'deployment'>,
): string | undefined {
  const { blockedBy } = run
  if (!blockedBy) return undefined
  const { kind, whoCanAct } = blockedBy
  switch (kind) {
    case 'turn':
      return 'It waits for its turn: another run of this pipeline deploys. It starts by itself.'
    case 'agent':
      return `It waits for a first agent: none that this release is for is online. ${actWords(whoCanAct, 'add one')}`
    case 'capacity':
      return 'It waits for a free slot: the limit of concurrent runs is reached. It starts by itself.'
    case 'engine':
      return 'It waits for Temporal or a worker to start it.'
    case 'approval':
      return waitingStep(run) === undefined
        ? actWords(whoCanAct, 'approve it')
        : actWords(whoCanAct, 'let it go on')
    case 'user_lock':
      return 'It waits for a lock.'
  }
}

function actWords(people: readonly string[], what: string): string {
  if (people.length === 0) return `Nobody here may ${what} now.`
  const more = people.length - 3
  return `${people.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''} can ${what}.`
}
