import type { Answer } from './call.ts'

export type Me = Answer<'getMe'>
export type Capability = Me['user']['capabilities'][number]
export type Role = Me['user']['role']
export type Workspace = Answer<'getWorkspace'>['workspace']
export type SharedView = Answer<'listWorkspaceViews'>['views'][number]
export type ConfigurationVersion = Answer<'listConfigurationVersions'>['versions'][number]
export type Variable = Answer<'listVariables'>['variables'][number]
export type Pipeline = Answer<'listPipelines'>['pipelines'][number]
export type Run = Answer<'listPipelineRuns'>['runs'][number]
export type PipelineVariable = Answer<'listPipelineVariables'>['variables'][number]
/** A run of a workspace or of an application. */
export type AnyRunDetail = Answer<'getPipelineRun'>['run']
export type RunDetail = AnyRunDetail & {
  workspaceId: number
  configurationVersion: number
  configurationSha256: string
}
export type ListedRun = Answer<'listRuns'>['runs'][number]
export type HomeCertificate = Answer<'getConsoleData'>['samlCertificates'][number]
export type Stage = Run['stages'][number]
export type Gate = NonNullable<Stage['gates']>[number]
export type BlockedBy = NonNullable<Run['blockedBy']>
export type RunHost = Answer<'listPipelineRunHosts'>['hosts'][number]
export type LogLine = Answer<'getPipelineRunLogs'>['lines'][number]
export type Policy = Answer<'listPolicies'>['policies'][number]
export type AuditEntry = Answer<'listAuditEntries'>['entries'][number]
export type Person = Answer<'listUsers'>['users'][number]

export type Sso = Answer<'getSso'>
export type Saml = NonNullable<Sso['saml']>
export type SamlTrace = Answer<'listSamlTraces'>['traces'][number]
export type GroupMapping = Answer<'listGroupMappings'>['groupMappings'][number]
export type ScimLogEntry = Answer<'listScimLog'>['entries'][number]
export type GitConnection = Answer<'listGitConnections'>['connections'][number]
export type Agent = Answer<'listAgents'>['agents'][number]
export type Hydration = Answer<'listHydrations'>['hydrations'][number]

/** The page of a run: under its pipeline, or under its workspace for a run that only plans. */
export type RunPlace =
  | { kind: 'pipeline'; id: number; runId: number }
  /** Here `runId` is the workspace run's id. */
  | { kind: 'workspace'; id: number; runId: number }
