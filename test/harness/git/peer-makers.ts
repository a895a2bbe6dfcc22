import { bitbucketCloudPeer } from './bitbucket-cloud-peer.ts'
import { bitbucketDataCenterPeer } from './bitbucket-data-center-peer.ts'
import { githubPeer } from './github-peer.ts'
import { gitlabPeer } from './gitlab-peer.ts'

export const peerMakers = { githubPeer, gitlabPeer, bitbucketCloudPeer, bitbucketDataCenterPeer }
