export const markerPath = '.cloud-control/owner.json'

/** What a marker stands for: one branch of one repository, and who it belongs to. */
export type Ownership = {
  /** The organization's public id. */
  organization: string
  host: string
  /** The provider's own id of the repository. */
  repository: string
  branch: string
  /** Id of the connection. */
  connection: number
}

export type Sign = (text: string) => string
export type Verify = (text: string, signature: string) => boolean

const version = 1

export function markerText(owner: Ownership, sign: Sign): string {
  const { organization, host, repository, branch, connection } = owner
  const body = { version, organization, host, repository, branch, connection }
  return `${JSON.stringify({ ...body, signature: sign(signedText(owner)) }, null, 2)}\n`
}

/**
 * `stale`: signed by this installation for another place or a deleted connection. It came with a fork
 * or a new branch, or was left behind, and claims nothing here. The caller holds the branch's row in
 * the store, so no other organization of this installation owns the branch.
 */
export type MarkerState = 'absent' | 'ours' | 'stale' | 'foreign'

/**
 * Whose branch it is, by the marker found there. A marker that we did not sign is respected, also an
 * unreadable one: another installation must not lose its claim because we cannot read its marker.
 */
export function markerState(text: string | null, owner: Ownership, verify: Verify): MarkerState {
  if (text === null) return 'absent'
  const found = parse(text)
  if (!found || !verify(signedText(found), found.signature)) return 'foreign'
  const samePlace = found.repository === owner.repository && found.branch === owner.branch
  if (!samePlace) return 'stale'
  const sameHost = found.host === owner.host
  if (found.organization !== owner.organization)
    // Under another name of the same host, another organization may have a claim beside ours.
    return sameHost ? 'stale' : 'foreign'
  return sameHost && found.connection === owner.connection ? 'ours' : 'stale'
}

const signedText = (owner: Ownership): string =>
  JSON.stringify([
    version,
    owner.organization,
    owner.host,
    owner.repository,
    owner.branch,
    owner.connection,
  ])

function parse(text: string): (Ownership & { signature: string }) | undefined {
  let found: Record<string, unknown>
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    // Each field is looked at below.
    found = value as Record<string, unknown>
  } catch {
    return undefined
  }
  const { organization, host, repository, branch, connection, signature } = found
  if (found['version'] !== version || typeof connection !== 'number') return undefined
  if (typeof organization !== 'string' || typeof host !== 'string') return undefined
  if (typeof repository !== 'string' || typeof branch !== 'string') return undefined
  if (typeof signature !== 'string') return undefined
  return { organization, host, repository, branch, connection, signature }
}
