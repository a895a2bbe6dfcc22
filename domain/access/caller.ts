import { hasCapability, type Capability, type Role } from './roles.ts'

/** The caller of a request, resolved once, from the credential alone. */
export type Caller = {
  organizationId: number
  organizationSlug: string
  organizationName: string
  organizationStatus: 'active' | 'suspended'
  userId: number
  email: string | null
  name: string
  /** The effective role, with the ceilings of session and token applied. */
  role: Role
  /** True in a session alone: no token carries it. */
  platformAdmin: boolean
  mfaEnabled: boolean
  /**
   * Whether the caller may change no credential of the account (`changesCredential` in
   * api/http/access.ts): a token, or an identity provider's session of an account with a password.
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
  /** False once the run left the phase or a newer attempt has the fencing number: its writes are late. */
  current: boolean
}

export const may = (caller: Caller, capability: Capability): boolean =>
  hasCapability(caller, capability)
