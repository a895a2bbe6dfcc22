import { conflict, unavailable } from '../../domain/errors.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { readMarker } from '../../gateways/git/own-branch.ts'
import type { InitializeRepositoryInput } from '../../workflows/git/contract.ts'
import { gitActivity } from './git-activity.ts'
import type { Deps } from '../deps.ts'
import { missingScaffold } from './missing-scaffold.ts'
import { openClaim } from './open-claim.ts'
import { proposePreparation } from './propose-preparation.ts'

const maxTries = 5

/** Second step, for `infra` alone: adds the missing scaffold files in one commit. Existing files are kept. */
export const scaffoldRepository =
  (worker: Deps) =>
  async (input: InitializeRepositoryInput): Promise<'done' | 'proposed'> =>
    gitActivity(worker, input.organizationId, async (deps) => {
      const claim = await openClaim(deps, input)
      if (!claim || claim.connection.repoType !== 'infra') return 'done'
      const { host, repository, owner } = claim
      for (let tries = 0; tries < maxTries; tries += 1) {
        const head = await host.head(repository.fullName, owner.branch)
        if (!head) break
        if ((await readMarker(host, deps.keyring, { repository, commit: head, owner })) !== 'ours')
          throw conflict('git_not_owner', 'The branch does not bear our marker.')
        const write = await missingScaffold(host, repository.fullName, head)
        if (Object.keys(write).length === 0) return 'done'
        try {
          await host.commit(repository.fullName, {
            branch: owner.branch,
            expectedHead: head,
            message: 'cloud-control: scaffold',
            change: { write, remove: [] },
          })
          return 'done'
        } catch (error) {
          if (hasCode(error, 'git_branch_protected'))
            return await proposePreparation(deps, input.organizationId, claim)
          if (!hasCode(error, 'git_head_moved')) throw error
        }
      }
      throw unavailable('git_branch_busy', 'The branch moves too fast to be written to.')
    })
