import { scaffoldFiles } from '../../domain/git/scaffold.ts'
import type { GitHost } from '../../gateways/git/git-host.ts'

/** The scaffold files that a commit lacks. Existing files are kept. */
export async function missingScaffold(
  host: GitHost,
  repository: string,
  commit: string,
): Promise<Record<string, string>> {
  const write: Record<string, string> = {}
  for (const [path, content] of Object.entries(scaffoldFiles))
    if ((await host.readFile(repository, { commit, path })) === null) write[path] = content
  return write
}
