import { conflict } from '../../domain/errors.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { markBranch } from '../../gateways/git/own-branch.ts'
import type { InitializeRepositoryInput } from '../../workflows/git/contract.ts'
import { gitActivity } from './git-activity.ts'
import type { Deps } from '../deps.ts'
import { openClaim } from './open-claim.ts'
import { proposePreparation } from './propose-preparation.ts'

/** First step of preparing a repository: creates the branch with our marker on it. Idempotent. */
export const markRepository =
  (worker: Deps) =>
  async (input: InitializeRepositoryInput): Promise<'marked' | 'proposed'> =>
    gitActivity(worker, input.organizationId, async (deps) => {
      const claim = await openClaim(deps, input)
      if (!claim) return 'marked'
      try {
        if ((await markBranch(claim.host, deps.keyring, claim)) === 'foreign')
          throw conflict('repo_already_connected', 'Another installation owns this branch.')
        return 'marked'
      } catch (error) {
        if (!hasCode(error, 'git_branch_protected')) throw error
        return await proposePreparation(deps, input.organizationId, claim)
      }
    })
