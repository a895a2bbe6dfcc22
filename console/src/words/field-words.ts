/** Fields of forms whose name on the page differs from their name in the API. */
const named: Readonly<Record<string, string>> = {
  body: 'The form',
  accountId: 'Account',
  amountMonthly: 'Amount a month',
  agentWaitMinutes: 'Minutes to wait for a first agent',
  anomalyMinimum: 'Smallest anomaly',
  approvalExpiryHours: 'Approval expires after',
  appBranch: 'Branch',
  appGitConnectionId: 'Git connection',
  appPath: 'Folder',
  appRepo: 'Repository',
  artifactOf: 'Run',
  artifactDays: 'Artifacts are kept for',
  attrEmail: 'Attribute of the email',
  attrGroups: 'Attribute of the groups',
  attrName: 'Attribute of the name',
  cloudAccountId: 'Cloud account',
  clientId: 'Application (client) id',
  costLimitMonthly: 'Monthly cost limit',
  defaultRepo: 'Repository',
  defaultBranch: 'Branch',
  emailDomains: 'Email domains',
  expiresInDays: 'Days',
  gitConnectionId: 'Git connection',
  idpEntityId: 'Entity ID',
  maxAgents: 'Hosts at most',
  metadataXml: 'Metadata',
  rego: 'Policy',
  rollbackApproval: 'A rollback on production',
  repo: 'Repository',
  roleArn: 'Role ARN',
  sbom: 'Bill of materials',
  serviceAccountEmail: 'Service account',
  scopeKind: 'Of what',
  scopeValue: 'Of what',
  ssoUrl: 'Sign-in address',
  sloUrl: 'Sign-out address',
  tags: 'Tags',
  tagKey: 'Tag',
  targetWorkspaceId: 'Workspace',
  tenantId: 'Tenant',
  threshold: 'Warn at',
  thresholdPct: 'Warn at',
  url: 'Address',
}

/** The name of a field as the page has it; for a list or an object the innermost name. */
export function fieldWords(path: string): string {
  const name = path.split(/[./]/).findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? ''
  // A file keeps its name.
  if (/\.\w+$/.test(path) && !/^[a-zA-Z]+(\.[a-zA-Z0-9]+)*$/.test(path)) return path
  const known = named[name]
  if (known !== undefined) return known
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase())
}
