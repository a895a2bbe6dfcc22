import { endApplicationRun } from '../../app/runs/end-application-run.ts'
import { systemActor } from '../../store/audit/audit-log.ts'
import type { ApplicationFailure, ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/** Messages of faults that somebody can repair. */
const byCode: Record<string, string> = {
  source_unreachable:
    'The repository could not be fetched, for a quarter of an hour. The log says why.',
  keyring_unavailable:
    'A key that this run needs is not in the keyring. An operator must add it to CC_KEYRING.',
  sandbox_unavailable: 'The sandbox does not work on the worker. Its log says why.',
  artifact_store_full: 'The disk of the artifact store is full. An operator must make room.',
  artifact_store_unavailable: 'The artifact store cannot be used. An operator must repair it.',
  no_slot: 'No place in the sandbox became free. Start a new run later.',
}

const byReason: Record<ApplicationFailure['reason'], string> = {
  runner_lost: 'The worker was lost, several times. Start a new run.',
  timed_out: 'The stage took longer than it may take.',
  source_errored:
    'The source could not be fetched because of a fault on our side. Start a new run.',
  build_errored: 'The build failed because of a fault on our side. Start a new run.',
  deploy_errored:
    'The deployment failed because of a fault on our side. Hosts are as their list says.',
}

/** Ends a run that has used all of its attempts. Before its deployment it has changed nothing. */
export const failApplicationRun =
  (deps: Pick<Deps, 'store'>) =>
  async ({ runId, reason, code }: ApplicationRunInput & ApplicationFailure): Promise<void> => {
    const organizationId = await ownerOfApplication(deps, runId)
    await deps.store.tenant(organizationId, async (tenant) =>
      endApplicationRun(
        tenant,
        {
          runId,
          actor: systemActor,
          from:
            reason === 'deploy_errored'
              ? ['deploy_queued', 'deploying', 'rolling_back']
              : ['queued', 'sourcing', 'building'],
        },
        { phase: 'failed', reason, message: byCode[code ?? ''] ?? byReason[reason] },
      ),
    )
  }
