import type { Advanced } from '../../app/deployments/advanced.ts'
import { askProbe } from '../../app/deployments/ask-probe.ts'
import { advanceRelease } from '../../app/deployments/advance-release.ts'
import type { ApplicationRunInput } from '../../workflows/pipelines/contract.ts'
import type { Deps } from '../deps.ts'
import { ownerOfApplication } from './application-owner.ts'

/** Takes a deployment as far as its hosts let it. A second delivery finds that it was taken there. */
export const advanceDeployment =
  (deps: Pick<Deps, 'store' | 'outbound'>) =>
  async ({ runId }: ApplicationRunInput): Promise<Advanced> => {
    const organizationId = await ownerOfApplication(deps, runId)
    const advance = async () =>
      deps.store.tenant(organizationId, async (tenant) => advanceRelease(tenant, runId, Date.now()))
    const advanced = await advance()
    if (advanced.next !== 'probe') return advanced
    await askProbe(deps, organizationId, advanced.deployment)
    const next = await advance()
    // A host that changed meanwhile has the address asked again: by the next call, which has its own time.
    return next.next === 'probe' ? { next: 'wait', timeoutMs: 1 } : next
  }
