import { timingSafeEqual } from 'node:crypto'
import { unavailable } from '../../domain/errors.ts'
import {
  markerPath,
  markerState,
  markerText,
  type MarkerState,
  type Ownership,
} from '../../domain/git/owner-marker.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { GitHost, GitRepository } from './git-host.ts'
import { hasCode } from './head-moved.ts'

const maxTries = 5

/** Signed with the keyring, so that copying a marker does not make an attacker the owner of a branch. */
const signature = (keyring: Keyring, text: string) =>
  keyring.mac('git owner marker', text).toString('hex')

export const signedMarker = (keyring: Keyring, owner: Ownership): string =>
  markerText(owner, (text) => signature(keyring, text))

export async function readMarker(
  host: GitHost,
  keyring: Keyring,
  at: { repository: GitRepository; commit: string; owner: Ownership },
): Promise<MarkerState> {
  const { repository, commit, owner } = at
  const text = await host.readFile(repository.fullName, { commit, path: markerPath })
  return markerState(text, owner, (signed, claimed) => {
    const [right, told] = [Buffer.from(signature(keyring, signed)), Buffer.from(claimed)]
    return right.length === told.length && timingSafeEqual(right, told)
  })
}

/** The branch's head; a missing branch is created at the default one's. Null: the repository is empty. */
async function openBranch(
  host: GitHost,
  repository: GitRepository,
  branch: string,
): Promise<string | null> {
  const head = await host.head(repository.fullName, branch)
  if (head || !repository.defaultBranch) return head
  const commit = await host.head(repository.fullName, repository.defaultBranch)
  if (!commit) return null
  await host.createBranch(repository.fullName, { branch, commit })
  return host.head(repository.fullName, branch)
}

/**
 * Writes the marker to the branch by compare-and-swap: on the very head where it was found missing. Of two
 * writers the second finds the first one's marker. `foreign` is never overwritten.
 */
export async function markBranch(
  host: GitHost,
  keyring: Keyring,
  { repository, owner }: { repository: GitRepository; owner: Ownership },
): Promise<'ours' | 'foreign'> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const head = await openBranch(host, repository, owner.branch)
    const state = head
      ? await readMarker(host, keyring, { repository, commit: head, owner })
      : 'absent'
    if (state === 'ours' || state === 'foreign') return state
    try {
      await host.commit(repository.fullName, {
        branch: owner.branch,
        expectedHead: head,
        message: 'cloud-control: own this branch',
        change: {
          write: { [markerPath]: signedMarker(keyring, owner) },
          remove: [],
        },
      })
    } catch (error) {
      if (!hasCode(error, 'git_head_moved')) throw error
    }
    // Read again: not every host can compare and swap in an empty repository.
  }
  const head = await host.head(repository.fullName, owner.branch)
  const state = head && (await readMarker(host, keyring, { repository, commit: head, owner }))
  if (state === 'ours' || state === 'foreign') return state
  throw unavailable('git_branch_busy', 'The branch moves too fast to be marked. Try again.')
}

/** Removes the marker if it is ours. */
export async function unmarkBranch(
  host: GitHost,
  keyring: Keyring,
  { repository, owner }: { repository: GitRepository; owner: Ownership },
): Promise<boolean> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const head = await host.head(repository.fullName, owner.branch)
    if (!head) return false
    if ((await readMarker(host, keyring, { repository, commit: head, owner })) !== 'ours')
      return false
    try {
      await host.commit(repository.fullName, {
        branch: owner.branch,
        expectedHead: head,
        message: 'cloud-control: give this branch back',
        change: { write: {}, remove: [markerPath] },
      })
      return true
    } catch (error) {
      if (!hasCode(error, 'git_head_moved')) throw error
    }
  }
  return false
}
