import { conflict } from '../../domain/errors.ts'
import { hydrationMessage } from '../../domain/git/hydration-message.ts'
import { planHydration, type HydrationPlan } from '../../domain/git/plan-hydration.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'
import type { Sides } from '../../domain/git/show-differences.ts'
import { hasCode } from '../../gateways/git/head-moved.ts'
import { readMarker } from '../../gateways/git/own-branch.ts'
import type { Difference } from '../../store/git/git-hydrations.ts'
import type { Deps } from '../deps.ts'
import type { LoadedHydration } from './load-hydration.ts'
import type { OpenedClaim } from './open-claim.ts'
import { branchOfProposal } from './withdraw-proposals.ts'

export type WrittenHydration =
  | { state: 'written'; commitSha: string }
  | { state: 'proposed'; commitSha: string; pullRequestUrl: string }
  | { state: 'diverged'; differences: Array<Difference & Pick<Sides, 'ours'>> }

/** How often a change is computed again because the branch moved, before a person is asked. */
const maxRebases = 5

/**
 * Commits all changes of a version at once. Before each attempt the marker is read at the very head that
 * the commit is based on, so a branch that belongs to somebody else by now is not written to.
 */
export async function writeHydration(
  deps: Pick<Deps, 'keyring'>,
  { job, claim }: { job: LoadedHydration; claim: OpenedClaim },
): Promise<WrittenHydration> {
  const { host, repository, owner } = claim
  const name = repository.fullName
  for (let tries = 0; tries <= maxRebases; tries += 1) {
    const head = await host.head(name, owner.branch)
    if (!head) throw conflict('git_branch_not_found', 'The branch is gone.')
    if ((await readMarker(host, deps.keyring, { repository, commit: head, owner })) !== 'ours')
      throw conflict('git_not_owner', 'The branch no longer bears our marker.')

    const at = { branch: owner.branch, commit: head }
    const { plan, found } = await planOn(job, claim, at)
    const unseen = plan.diverged.filter((path) => !isAccepted(job, path, found.get(path)))
    if (unseen.length > 0)
      return {
        state: 'diverged',
        differences: await differencesOf(job, claim, { ...at, paths: unseen, found }),
      }
    if (isEmpty(plan)) return { state: 'written', commitSha: head }
    try {
      const commitSha = await host.commit(name, {
        branch: owner.branch,
        expectedHead: head,
        message: messageOf(job, plan),
        change: plan,
        found,
      })
      return { state: 'written', commitSha }
    } catch (error) {
      if (hasCode(error, 'git_branch_protected')) return propose(job, claim, head)
      if (!hasCode(error, 'git_head_moved')) throw error
    }
  }
  throw conflict('git_branch_moving', 'The branch moves too fast to be written to.')
}

/** Opens a pull request for a protected branch. The branch of a version is found again by its name. */
async function propose(
  job: LoadedHydration,
  claim: OpenedClaim,
  head: string,
): Promise<WrittenHydration> {
  const { host, repository, owner } = claim
  const name = repository.fullName
  const branch = branchOfProposal(job.workspace.name, job.version.number)
  await host.createBranch(name, { branch, commit: head })
  const from = (await host.head(name, branch)) ?? head
  const { plan } = await planOn(job, claim, { branch, commit: from })
  const message = messageOf(job, plan)
  const commitSha = isEmpty(plan)
    ? from
    : await host.commit(name, { branch, expectedHead: from, message, change: plan })
  const { url } = await host.pullRequest(name, {
    from: branch,
    into: owner.branch,
    title: `${job.workspace.name}: configuration version ${job.version.number}`,
    body: 'Written by cloud-control, for the branch takes no direct commits.',
  })
  return { state: 'proposed', commitSha, pullRequestUrl: url }
}

async function planOn(
  { desired, written }: LoadedHydration,
  { host, repository }: OpenedClaim,
  at: { branch: string; commit: string },
): Promise<{ plan: HydrationPlan; found: Map<string, string> }> {
  const paths = [...Object.keys(desired), ...written.flatMap((files) => [...files.keys()])]
  // The old files of a renamed workspace are in another folder.
  const folders = new Set(paths.map((path) => path.split('/').slice(0, 2).join('/')))
  const found = new Map<string, string>()
  for (const folder of folders)
    for (const [path, blob] of await host.listFiles(repository.fullName, {
      ...at,
      folder,
      expected: written[0],
    }))
      found.set(path, blob)
  return { plan: planHydration(desired, { found, written }), found }
}

const isEmpty = ({ write, remove }: HydrationPlan) =>
  Object.keys(write).length === 0 && remove.length === 0

/** A decision holds for the content that was seen, not for a later edit of the file. */
const isAccepted = ({ accepted }: LoadedHydration, path: string, blob: string | undefined) =>
  accepted.some((seen) => seen.path === path && seen.theirBlob === (blob ?? null))

async function differencesOf(
  { desired }: LoadedHydration,
  { host, repository }: OpenedClaim,
  at: { commit: string; paths: readonly string[]; found: ReadonlyMap<string, string> },
): Promise<Array<Difference & Pick<Sides, 'ours'>>> {
  const differences: Array<Difference & Pick<Sides, 'ours'>> = []
  let left = maxTheirBytes
  for (const path of at.paths) {
    const theirs =
      left > 0 ? await readTheirs(host, repository.fullName, { ...at, path }) : tooLarge
    if (theirs !== tooLarge) left -= Buffer.byteLength(theirs ?? '')
    differences.push({
      path,
      ours: desired[path] ?? null,
      theirBlob: at.found.get(path) ?? null,
      ...(theirs === tooLarge || left < 0 ? { theirs: null, tooLarge: true } : { theirs }),
    })
  }
  return differences
}

/** What a configuration may have: with more it could not be taken as a version. */
const maxTheirBytes = 10 * 1_048_576
const tooLarge = Symbol('too large')

async function readTheirs(host: GitHost, name: string, at: { commit: string; path: string }) {
  try {
    return await host.readFile(name, at)
  } catch (error) {
    if (hasCode(error, 'git_repository_too_large')) return tooLarge
    throw error
  }
}

const messageOf = ({ hydration, workspace, version }: LoadedHydration, plan: HydrationPlan) =>
  hydrationMessage({
    workspace: workspace.name,
    number: version.number,
    sha256: version.filesSha256,
    run: hydration.workspaceRunId,
    written: Object.keys(plan.write).length,
    removed: plan.remove.length,
  })
