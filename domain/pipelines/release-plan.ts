import type { Manifest } from '../manifest/manifest-schema.ts'
import { secondsOf } from '../manifest/meaning-faults.ts'

const hookNames = ['install', 'activate', 'health', 'rollback'] as const
export type HookName = (typeof hookNames)[number]
export type PlannedHook = { path: string; timeoutSeconds: number; repeatable: boolean }

/** What a manifest says about hosts, with all that it leaves out. */
export type ReleasePlan = {
  hooks: Partial<Record<HookName, PlannedHook>>
  probe: { url: string; status: number; everySeconds: number } | null
  /** Releases that stay on a host. */
  keep: number
  /** Labels that a host must have. */
  labels: Readonly<Record<string, string>>
  /** Outputs of the target that hooks are given. */
  outputs: readonly string[]
}

export function planRelease(deploy: Manifest['deploy'] = {}): ReleasePlan {
  const usual = secondsOf(deploy.hookTimeout ?? '5m')
  const hooks: ReleasePlan['hooks'] = {}
  for (const name of hookNames) {
    const hook = deploy.hooks?.[name]
    if (hook === undefined) continue
    const { path, timeout, repeatable = false } = typeof hook === 'string' ? { path: hook } : hook
    hooks[name] = {
      path,
      timeoutSeconds: timeout === undefined ? usual : secondsOf(timeout),
      repeatable,
    }
  }
  const probe = deploy.health?.probe
  return {
    hooks,
    probe: probe
      ? {
          url: probe.url,
          status: probe.status ?? 200,
          everySeconds: secondsOf(probe.every ?? '10s'),
        }
      : null,
    keep: deploy.keep ?? 3,
    labels: deploy.agents?.labels ?? {},
    outputs: deploy.outputs ?? [],
  }
}

/**
 * How long an action on a host may take at most, from its first claim: every hook to its limit, twice for
 * the way back, and time to fetch the artifact. A host that takes longer is lost.
 */
export const hostLimitSeconds = ({ hooks }: Pick<ReleasePlan, 'hooks'>): number =>
  1_800 + 2 * Object.values(hooks).reduce((sum, hook) => sum + hook.timeoutSeconds, 0)
