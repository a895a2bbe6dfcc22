import type { GitProduct } from '../../domain/git/providers.ts'

export type RelayHost = { host: string; origin: string; product: GitProduct }

/**
 * Configures git by environment (git-config, GIT_CONFIG_COUNT) to use the relay for these hosts. A
 * workspace's own settings of this kind stay, and take precedence, since git uses the first match.
 */
export function relayEnvironment(
  base: string,
  hosts: readonly RelayHost[],
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  const first = Number.isInteger(given) && given > 0 ? given : 0
  const settings = hosts.flatMap((host) =>
    addressesOf(host).map((address) => [`url.${base}${host.host}/.insteadOf`, address] as const),
  )
  return {
    GIT_CONFIG_COUNT: String(first + settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${first + index}`, key],
        [`GIT_CONFIG_VALUE_${first + index}`, value],
      ]),
    ),
  }
}

/** The same repository by ssh has the same path, but at Data Center. */
function addressesOf({ host, origin, product }: RelayHost): string[] {
  if (product === 'bitbucket-data-center' || host.includes(':')) return [`${origin}/`]
  return [`${origin}/`, `ssh://git@${host}/`, `git@${host}:`]
}
