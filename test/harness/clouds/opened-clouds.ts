import { afterEach } from 'vitest'
import type { Cloud, CloudDeps, CloudTarget } from '../../../gateways/clouds/cloud.ts'
import { openCloud } from '../../../gateways/clouds/open-cloud.ts'
import { cloudDeps, cloudTarget } from './cloud-target.ts'

type Account = Pick<CloudTarget, 'provider' | 'accountId' | 'credentials'>

/** Opens this account at a local cloud, with what a test changes of it. Each is closed after its test. */
export function openedClouds(account: Account) {
  let opened: Cloud[] = []
  afterEach(() => {
    for (const cloud of opened) cloud.close()
    opened = []
  })
  return async (
    at: { url: string; port: number },
    more: Partial<CloudTarget> = {},
    deps: Partial<CloudDeps> = {},
  ): Promise<Cloud> => {
    const target = cloudTarget(at.url, { ...account, ...more })
    const cloud = await openCloud(target, cloudDeps([at.port], deps))
    opened.push(cloud)
    return cloud
  }
}
