import type { Outbound } from '../../outbound/outbound.ts'
import { gitAuthorization } from '../git-authorization.ts'
import { inPath } from '../json-client.ts'
import { readArchive } from '../read-archive.ts'
import { blobsBySnapshot } from '../read-by-snapshot.ts'

const maxPackBytes = 32 * 1_048_576

/** The contents of many listed files (path → blob id) by blob id, as far as they can be had at once. */
export type GithubContents = (
  name: string,
  at: { branch: string; commit: string },
  wanted: ReadonlyMap<string, string>,
) => Promise<ReadonlyMap<string, Uint8Array>>

/**
 * By the repository's tarball ("Download a repository archive"), and by git if none can be had: the
 * API redirects to another host, which an Enterprise Server has in the private network too, and
 * which `CC_PRIVATE_HOSTS` need not open.
 */
export function githubContents(
  outbound: Outbound,
  { origin, token, api }: { origin: string; token: string; api: string },
): GithubContents {
  const byGit = blobsBySnapshot(outbound, (name) => ({
    url: `${origin}/${inPath(name)}.git`,
    authorization: gitAuthorization('github', token),
    provider: 'GitHub',
    maxPackBytes,
  }))
  return async (name, at, wanted) => {
    const url = `${api}/repos/${inPath(name)}/tarball/${at.commit}`
    const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }
    const found = await readArchive(outbound, { url, headers }, wanted)
    return found.size > 0 ? found : byGit(name, at, wanted)
  }
}
