import type { Advanced } from '../../app/deployments/advanced.ts'
import { advanceRelease } from '../../app/deployments/advance-release.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/** Takes a deployment as far as its hosts let it. A second delivery finds that it was taken there. */
export const advanceDeployment =
  (deps: Pick<Deps, 'store'>) =>
  async ({ runId }: ApplicationRunInput): Promise<Advanced> => {
    const organizationId = await ownerOfApplication(deps, runId)
    return deps.store.tenant(organizationId, async (tenant) =>
      advanceRelease(tenant, runId, Date.now()),
    )
  }
