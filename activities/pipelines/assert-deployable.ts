import type { Manifest } from '../../domain/manifest/manifest-schema.ts'
import { resolveStrategy } from '../../domain/manifest/resolve-strategy.ts'
import { noSuchStrategy } from '../../domain/manifest/strategy-names.ts'
import { RunFault } from './run-fault.ts'

/** Before anything is built: that its manifest can be deployed as the run or its pipeline asks. */
export function assertDeployable(
  { deploy }: Manifest,
  {
    strategyLabel,
    targetWorkspaceId,
  }: { strategyLabel: string | null; targetWorkspaceId: number | null },
): void {
  // Without a target the name of a strategy is only a label.
  if (targetWorkspaceId === null) return
  if (!resolveStrategy(strategyLabel, deploy))
    throw new RunFault('source_errored', noSuchStrategy(strategyLabel ?? '', deploy?.strategies))
}
