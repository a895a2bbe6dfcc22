import { conflict, unavailable } from '../../domain/errors.ts'
import { markerPath } from '../../domain/git/owner-marker.ts'
import { branchProtected, hasCode } from '../../gateways/git/head-moved.ts'
import { readMarker, signedMarker } from '../../gateways/git/own-branch.ts'
import { gitConnections } from '../../store/git/git-connections.ts'
import type { Deps } from '../deps.ts'
import { missingScaffold } from './missing-scaffold.ts'
import type { OpenedClaim } from './open-claim.ts'

/**
 * Opens a pull request with the marker and the scaffold for a branch that accepts no commits. The
 * connection stays `initializing` and says where to merge; the scheduled check looks for the marker.
 * Idempotent: repeated, it finds its own branch and pull request.
 */
export async function proposePreparation(
  { store, keyring }: Pick<Deps, 'store' | 'keyring'>,
  organizationId: number,
  { host, repository, owner, connection }: OpenedClaim,
): Promise<'proposed'> {
  const name = repository.fullName
  const head = await host.head(name, owner.branch)
  // An empty repository has no branch that a pull request could target.
  if (!head) throw branchProtected()
  const branch = `cloud-control/connect-${connection.id}`
  await host.createBranch(name, { branch, commit: head })
  const from = (await host.head(name, branch)) ?? head

  const state = await readMarker(host, keyring, { repository, commit: from, owner })
  if (state === 'foreign')
    throw conflict('repo_already_connected', 'Another installation owns this branch.')
  const write = {
    ...(state !== 'ours' && { [markerPath]: signedMarker(keyring, owner) }),
    ...(connection.repoType === 'infra' && (await missingScaffold(host, name, from))),
  }
  try {
    if (Object.keys(write).length > 0)
      await host.commit(name, {
        branch,
        expectedHead: from,
        message: 'cloud-control: own this branch',
        change: { write, remove: [] },
      })
  } catch (error) {
    // An earlier attempt of this step, whose worker was presumed dead, did it.
    if (hasCode(error, 'git_head_moved'))
      throw unavailable('git_branch_busy', 'The proposal is being written to.')
    throw error
  }
  const { url } = await host.pullRequest(name, {
    from: branch,
    into: owner.branch,
    title: 'Let cloud-control own this branch',
    body: `Says who writes to ${owner.branch}. Until this is merged nothing is written there.`,
  })
  await store.tenant(organizationId, async (tenant) =>
    gitConnections(tenant).setStatus(
      connection.id,
      'initializing',
      `The branch is protected. Merge ${url}: until then nothing is written.`,
    ),
  )
  return 'proposed'
}
