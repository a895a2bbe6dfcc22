import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloudProviders } from '../../../domain/clouds/cloud-account.ts'
import { rights } from '../../../domain/clouds/rights.ts'

const folders = { aws: 'aws', azure: 'azure', gcp: 'google' }
/** How each cloud writes a right. */
const shapes = {
  aws: /'([a-z0-9-]+:[A-Z][A-Za-z]+)'/g,
  azure: /'(Microsoft\.[A-Za-z]+(?:\/[A-Za-z]+)+)'/g,
  gcp: /'((?:bigquery|cloudasset|resourcemanager|storage)(?:\.(?!googleapis)[a-z][A-Za-z]+){2})'/g,
}
/** Not granted by a policy of the account, but by the role's trust policy. */
const byTrust = new Set(['sts:AssumeRole', 'sts:AssumeRoleWithWebIdentity'])

// A gateway names the right of each call that it makes, for the refusal. What setup grants is the
// same: less and a part fails, more and the credentials may do what nobody needs.
test.each([...cloudProviders])(
  '%s: setup grants what the gateway calls, and no more',
  (provider) => {
    const folder = join(import.meta.dirname, '../../../gateways/clouds', folders[provider])
    const named = readdirSync(folder)
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(shapes[provider])])
      .map(([, right = '']) => right)
      .filter((right) => !byTrust.has(right))
    const granted = rights[provider].map(({ permission }) => permission)
    expect([...new Set(named)].toSorted()).toEqual(granted.toSorted())
  },
)
