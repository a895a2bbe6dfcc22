/** What the addresses of pages carry after `?`, for the router and for the pages. */

/** What the address says after a sign-out: `1`, or how the logout at the identity provider ended. */
export type SignedOut = 1 | 'partial' | 'failed'

export const workspaceTabs = ['runs', 'files', 'git', 'variables', 'state', 'settings'] as const
export type WorkspaceTab = (typeof workspaceTabs)[number]
/** `version`: of the files, where it is not the newest that is shown. */
export type WorkspaceSearch = { tab?: WorkspaceTab; version?: number }

export const runTabs = ['plan', 'log', 'timeline'] as const
export type RunSearch = { tab?: (typeof runTabs)[number]; stage?: string; line?: number }

export const auditFields = ['event', 'actor', 'target', 'from', 'to'] as const
export type AuditFilter = { [Field in (typeof auditFields)[number]]?: string }
