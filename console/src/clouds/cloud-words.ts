import type { CloudAccount, CloudMember, CloudPlace, CloudSync } from './queries.ts'

type Look = { tone: 'good' | 'bad' | 'warn' | 'info' | 'quiet'; words: string }
export type Provider = CloudAccount['provider']
/** How cloud-control proves to the cloud who it is. */
export type Use = 'federation' | 'role' | 'keys'

export const providerName: Record<Provider, string> = {
  aws: 'AWS',
  azure: 'Azure',
  gcp: 'Google Cloud',
}

export const accountHint: Record<Provider, { placeholder: string; hint: string }> = {
  aws: { placeholder: '123456789012', hint: 'The 12 digits of the AWS account.' },
  azure: {
    placeholder: '00000000-0000-0000-0000-000000000000',
    hint: 'The id of a subscription, or managementGroups/<id>.',
  },
  gcp: {
    placeholder: 'my-project',
    hint: 'The id of a project, folders/<number> or organizations/<number>.',
  },
}

/** The ways to sign in to each cloud, the recommended one first. */
export const usesOf: Record<Provider, ReadonlyArray<{ use: Use; words: string }>> = {
  aws: [
    { use: 'federation', words: 'Without a key: a role that trusts this organization’s issuer' },
    { use: 'role', words: 'A role with this organization’s external id' },
    { use: 'keys', words: 'An access key' },
  ],
  azure: [
    { use: 'federation', words: 'Without a secret: a federated credential' },
    { use: 'keys', words: 'A client secret' },
  ],
  gcp: [
    { use: 'federation', words: 'Without a key: workload identity federation' },
    { use: 'keys', words: 'A service account key' },
  ],
}

export const accountStatus: Record<CloudAccount['status'], Look> = {
  pending: { tone: 'info', words: '● not checked yet' },
  healthy: { tone: 'good', words: '✓ healthy' },
  degraded: { tone: 'warn', words: '! degraded' },
  invalid_credentials: { tone: 'bad', words: '✗ credentials refused' },
  unreachable: { tone: 'warn', words: '! not reached' },
}

type Check = CloudAccount['checks'][number]

export const partName: Record<Check['part'], string> = {
  identity: 'Identity',
  inventory: 'Resources',
  billing: 'Bills',
  runs: 'Credentials for runs',
}

export const checkState: Record<Check['state'], Look> = {
  ok: { tone: 'good', words: '✓ works' },
  missing: { tone: 'bad', words: '✗ rights are missing' },
  failed: { tone: 'warn', words: '! failed' },
  off: { tone: 'quiet', words: '– not set up' },
}

export const syncState: Record<CloudSync['state'], Look> = {
  running: { tone: 'info', words: '● running' },
  succeeded: { tone: 'good', words: '✓ complete' },
  partial: { tone: 'warn', words: '! incomplete' },
  failed: { tone: 'bad', words: '✗ failed' },
}

export const placeState: Record<CloudPlace['state'], Look> = {
  ok: { tone: 'good', words: '✓ listed' },
  excluded: { tone: 'quiet', words: '– excluded' },
  denied: { tone: 'warn', words: '! access denied' },
  failed: { tone: 'bad', words: '✗ failed' },
}

export const memberState: Record<CloudMember['state'], Look> = {
  active: { tone: 'good', words: '✓ active' },
  suspended: { tone: 'quiet', words: '– suspended' },
  pending_activation: { tone: 'info', words: '● being activated' },
  pending_closure: { tone: 'quiet', words: '– being closed' },
  closed: { tone: 'quiet', words: '– closed' },
  unknown: { tone: 'quiet', words: '– not known' },
}

export const triggerWords: Record<CloudSync['trigger'], string> = {
  schedule: 'on schedule',
  request: 'on request',
  connect: 'after connecting',
}
