import type { CostScopeKind } from '../finops/cost-scope.ts'
import { providerNamed } from '../finops/budgets/in-scope.ts'
import { parseDecimal } from '../finops/decimal.ts'
import type { Announcement, NoticeScope } from './announcement.ts'
import { matchesEvent } from './notice-events.ts'

/** Which events a channel is told of. */
export type ChannelFilter = {
  events: readonly string[]
  scopeKind: CostScopeKind | null
  scopeValue: string | null
  /** Decimal text. */
  minimumImpact: string | null
}

/** Whether a channel is told of an event. An event without an impact is under no minimum. */
export function reaches(channel: ChannelFilter, about: Announcement): boolean {
  if (!channel.events.some((pattern) => matchesEvent(pattern, about.event))) return false
  const { minimumImpact } = channel
  if (minimumImpact !== null && about.impact !== undefined)
    if (parseDecimal(about.impact) < parseDecimal(minimumImpact)) return false
  return isInScope(channel, about.scope ?? {})
}

function isInScope({ scopeKind, scopeValue }: ChannelFilter, scope: NoticeScope): boolean {
  if (scopeKind === null || scopeKind === 'all') return true
  return inScope[scopeKind](scope, scopeValue ?? '')
}

type Narrow = Exclude<CostScopeKind, 'all'>

const inScope: Record<Narrow, (scope: NoticeScope, value: string) => boolean> = {
  provider: ({ provider }, value) =>
    provider !== undefined && providerNamed(provider) === providerNamed(value),
  service: ({ service }, value) => isSame(service, value),
  subAccount: ({ subAccountId }, value) => isSame(subAccountId, value),
  account: ({ accountId }, value) => accountId === Number(value),
  workspace: ({ workspaceIds = [] }, value) => workspaceIds.includes(Number(value)),
  tag: ({ tags = [] }, value) => tags.includes(value),
}

const isSame = (text: string | undefined, value: string): boolean =>
  text?.toLowerCase() === value.toLowerCase()
