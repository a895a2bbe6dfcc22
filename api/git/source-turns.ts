import { createTurns } from '../../gateways/runner/turns.ts'

/**
 * Of one organization in one process. What is read, and what it is compared with, are up to 80 MB from before the
 * host is asked until the new version is stored.
 */
const turns = createTurns({
  atOnce: Infinity,
  ofOrganization: 2,
  waiting: 20,
  busy: 'The files of 2 workspaces of your organization are being read from Git, and 20 wait for it. Try again in a minute.',
})

/** Runs work that holds a workspace's files of a repository in memory. Not within a transaction: it may wait. */
export async function inSourceTurn<T>(organizationId: number, work: () => Promise<T>): Promise<T> {
  const leave = await turns.take(organizationId)
  try {
    return await work()
  } finally {
    leave()
  }
}
