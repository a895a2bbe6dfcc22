import { endRelease } from '../../app/deployments/end-release.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/** Ends a deployment whose hosts are all decided about, and its run. A second delivery finds it ended. */
export const endDeployment =
  (deps: Pick<Deps, 'store'>) =>
  async ({ runId }: ApplicationRunInput): Promise<void> => {
    const organizationId = await ownerOfApplication(deps, runId)
    await deps.store.tenant(organizationId, async (tenant) => endRelease(tenant, runId, Date.now()))
  }
