import { bitbucketCloudPeer } from './bitbucket-cloud-peer.ts'
import { bitbucketDataCenterPeer } from './bitbucket-data-center-peer.ts'
import { githubPeer } from './github-peer.ts'
import { gitlabPeer } from './gitlab-peer.ts'

export const peerMakers = { githubPeer, gitlabPeer, bitbucketCloudPeer, bitbucketDataCenterPeer }

type Name = keyof typeof peerMakers

/**
 * The hosts that a suite of workflows is run against: these two, or all four with `CC_GIT_HOSTS=all`. What differs
 * between hosts is in the gateways, whose suites are run against all four each time.
 */
export const hostsOf = (...names: readonly [Name, Name]) =>
  Object.entries(peerMakers).filter(
    ([name]) => process.env['CC_GIT_HOSTS'] === 'all' || names.some((one) => one === name),
  )
