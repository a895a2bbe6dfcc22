import type { Deps } from '../../../activities/deps.ts'
import type { GitHarness } from './git-harness.ts'
import { noBills } from '../finops/no-bills.ts'
import { noBuilds } from '../no-builds.ts'

const unused = () => {
  throw new Error('An activity of Git starts no program.')
}

/**
 * The dependencies of the Git activities, without the sandbox and the runners, which they do not
 * use.
 */
export const gitActivityDeps = ({ deps, config }: GitHarness): Deps => ({
  ...deps,
  publicOrigin: config.baseUrl ?? 'http://127.0.0.1',
  // A test that used one of these would fail with the error above.
  sandbox: { lend: unused } as unknown as Deps['sandbox'],
  runners: { lend: unused } as unknown as Deps['runners'],
  planJsonBytes: 0,
  ...noBills,
  ...noBuilds,
  openCloud: unused,
  worker: 'worker-a',
  engineVersion: '1.12.6',
  cliConfig: undefined,
  stopping: new AbortController().signal,
  workflowState: unused,
  slotShares: { take: unused, forget: unused },
})
