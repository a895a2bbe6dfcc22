import type { AnyRunDetail } from '../api/types.ts'
import type { RunSearch } from '../app/searches.ts'

type Tab = NonNullable<RunSearch['tab']>
type Shown = Pick<AnyRunDetail, 'stages' | 'awaitingApproval' | 'workspaceId' | 'deployment'>

const own: readonly Tab[] = ['hosts', 'changes', 'log', 'comments', 'timeline']

/**
 * The tab of an application's run. Without one in the address: what an approver looks at, the hosts of a
 * deployment that has begun, else the log of what works.
 */
export function applicationTab(run: Shown, asked: RunSearch['tab']): Tab {
  const isAsked = asked !== undefined && own.includes(asked)
  if (isAsked && (asked !== 'hosts' || run.workspaceId !== null)) return asked
  const hasBegun = (run.deployment?.batch ?? 0) > 0
  if (hasBegun) return 'hosts'
  return run.awaitingApproval ? 'changes' : 'log'
}
