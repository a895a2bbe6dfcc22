import { hasCapability, type Capability, type Role } from './roles.ts'

/** Whoever is behind a request: resolved once, from the credential alone. */
export type Caller = {
  organizationId: number
  organizationSlug: string
  organizationName: string
  organizationStatus: 'active' | 'suspended'
  userId: number
  email: string | null
  name: string
  /** The effective role, ceilings of session and token taken off already. */
  role: Role
  /** True in a session alone: no token carries it. */
  platformAdmin: boolean
  mfaEnabled: boolean
  /**
   * Changes no credential of the account (`changesCredential` in api/http/access.ts): a token, or
   * a session that an identity provider opened for somebody who has a password.
   */
  credentialsLocked: boolean
  kind: 'session' | 'token'
  /** Id of the session or token. */
  credentialId: number
  expiresAt: Date | null
  ip: string
  requestId: string
}

/** The credential of a run: one workspace, one phase, one fencing number (docs/runs.md, "State"). */
export type RunCaller = {
  organizationId: number
  workspaceId: number
  workspaceRunId: number
  phase: 'plan' | 'apply'
  fence: number
  tokenId: number
  /** False once the run has left the phase or a newer attempt holds the fence: what it writes now is a zombie's. */
  current: boolean
}

export const may = (caller: Caller, capability: Capability): boolean =>
  hasCapability(caller, capability)
