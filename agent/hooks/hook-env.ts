import { userInfo } from 'node:os'
import { searchPath } from '../config.ts'
import type { Deployment } from '../service/read-claim.ts'

/** What the hook is run for: its own name, or `staged` for health before the switch of a blue-green deployment. */
export type Phase = 'install' | 'activate' | 'health' | 'rollback' | 'staged'

/**
 * The environment of a hook: a few names, and none of the agent's, which has a token. Variables of the deployment
 * cannot stand for what the agent says itself.
 */
export function hookEnv(
  env: Deployment['env'],
  {
    phase,
    digest,
    path,
    backTo,
  }: {
    phase: Phase
    digest: string
    /** The release's folder. */
    path: string
    /** Folder of the release that comes back; of `rollback` alone. */
    backTo?: string | undefined
  },
): Record<string, string> {
  const own = [
    ['CC_PHASE', phase],
    ['CC_RELEASE_DIGEST', digest],
    ['CC_RELEASE_PATH', path],
    ['CC_ROLLBACK_TO', backTo ?? ''],
  ] as const
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(env.map(({ key, value }) => [key, value])),
    PATH: searchPath,
    HOME: homeOf(),
    ...Object.fromEntries(own.filter(([, value]) => value !== '')),
  }
}

function homeOf(): string {
  try {
    return userInfo().homedir
  } catch {
    // A user id without a name, as containers have them.
    return '/'
  }
}
