import { GitRefusal, refusalOf } from '../../gateways/git/git-refusal.ts'
import { gitHydrations } from '../../store/git/git-hydrations.ts'
import type { Deps } from '../deps.ts'
import type { LoadedHydration } from './load-hydration.ts'
import type { OpenedClaim } from './open-claim.ts'

/** With each version the ones before it are closed, so there are never many. */
const maxClosed = 20

export const branchOfProposal = (workspace: string, versionNumber: number): string =>
  `cloud-control/${workspace}/v${versionNumber}`

/**
 * Closes the pull requests of earlier versions once a later one is written or proposed. Otherwise
 * two are open, and merging the older one last would take the newer configuration back.
 */
export async function withdrawProposals(
  { store, log }: Pick<Deps, 'store' | 'log'>,
  organizationId: number,
  { job, claim }: { job: LoadedHydration; claim: OpenedClaim },
): Promise<void> {
  const { host, repository, owner } = claim
  const older = await store.tenant(organizationId, async (tenant) =>
    gitHydrations(tenant).olderProposals(job.hydration, maxClosed),
  )
  for (const { id, versionNumber } of older)
    try {
      const from = branchOfProposal(job.workspace.name, versionNumber)
      const closed = await host.closePull(repository.fullName, { from, into: owner.branch })
      await store.tenant(organizationId, async (tenant) =>
        gitHydrations(tenant).endProposal(id, closed ? 'superseded' : 'pull_request_closed'),
      )
    } catch (error) {
      const refusal = refusalOf(error)
      // A host in trouble is asked again; one that does not allow it must not fail what is written.
      const final = refusal instanceof GitRefusal && refusal.status >= 400 && refusal.status < 500
      if (!final || refusal.code === 'git_rate_limited') throw error
      log.warn({ err: error, hydrationId: id }, 'an older pull request was not closed')
    }
}
