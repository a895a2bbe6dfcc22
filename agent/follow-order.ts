import { canonicalJson } from '../domain/canonical-json.ts'
import { refuseRelease } from './faults.ts'
import type { Deployment, HookName } from './service/read-claim.ts'

/**
 * A claim as far as its order covers it. The claim is the service's word, which who can write the service's database
 * can change; the order is signed. Throws `order_refused` for each part in which they differ. What is no secret in the
 * environment is taken from the order.
 */
export function followOrder(
  deployment: Deployment,
  order: Record<string, unknown>,
  { organization, workspaceId }: { organization: string; workspaceId: number | undefined },
): { deployment: Deployment; workspaceId: number } {
  const { release, action } = deployment
  const expect = (isSigned: boolean, what: string) => {
    if (!isSigned) throw refuseRelease('order_refused', `what was signed is ${what}`)
  }
  expect(order['organization'] === organization, 'of another organization')
  expect(order['digest'] === release.digest, 'of another release')
  expect(order['contentDigest'] === release.contentDigest, 'of a release with other content')
  expect(String(order['runId']) === String(release.runId), 'of another deployment')
  // A rollback brings the release of an earlier one.
  expect(
    action === 'rollback' || String(order['runId']) === String(deployment.id),
    'of another deployment',
  )
  const target = order['workspaceId']
  if (typeof target !== 'number') throw refuseRelease('order_refused', 'the order names no target')
  expect(workspaceId === undefined || workspaceId === target, 'for another workspace')
  expect(
    (action !== 'install' && action !== 'activate') || order['strategy'] === 'blue-green',
    'for another strategy',
  )
  expect(order['keep'] === deployment.keep, 'another number of releases to keep')
  expect(canonicalJson(order['hooks']) === canonicalJson(signedForm(deployment)), 'other hooks')
  return {
    deployment: { ...deployment, env: signedEnv(deployment, order, expect) },
    workspaceId: target,
  }
}

const signedForm = ({ hooks }: Deployment) =>
  Object.fromEntries(
    (Object.keys(hooks) as HookName[]).map((name) => {
      const { path = '', timeoutMs = 0, repeatable = false } = hooks[name] ?? {}
      return [name, { path, timeoutSeconds: timeoutMs / 1_000, repeatable }]
    }),
  )

function signedEnv(
  { env }: Deployment,
  order: Record<string, unknown>,
  expect: (isSigned: boolean, what: string) => void,
): Deployment['env'] {
  // Written by `signOrder` and signed, so of this shape.
  const open = new Map(
    (order['env'] as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
  )
  const names = [...open.keys(), ...(order['variables'] as string[])]
  const given = env.map(({ key }) => key)
  expect(
    canonicalJson(names.toSorted()) === canonicalJson(given.toSorted()),
    'with other variables',
  )
  return env.map((one) => {
    const value = open.get(one.key)
    return value === undefined ? one : { ...one, value }
  })
}
