/** The query parameters of the pages, shared by the router and the pages. */

/** The parameter `signedout`: `1`, or the result of the logout at the identity provider. */
export type SignedOut = 1 | 'partial' | 'failed'

export const workspaceTabs = ['runs', 'files', 'git', 'variables', 'state', 'settings'] as const
export type WorkspaceTab = (typeof workspaceTabs)[number]
/** `version` is the version of the files to show, instead of the newest one. */
export type WorkspaceSearch = { tab?: WorkspaceTab; version?: number }

export const runTabs = ['plan', 'log', 'timeline'] as const
export type RunSearch = { tab?: (typeof runTabs)[number]; stage?: string; line?: number }

export const auditFields = ['event', 'actor', 'target', 'from', 'to'] as const
export type AuditFilter = { [Field in (typeof auditFields)[number]]?: string }

/** The filters of the list of resources, as in the address of the page. */
export const resourceFilters = ['q', 'provider', 'service', 'type', 'region', 'tag'] as const
export type ResourceFilter = { [Field in (typeof resourceFilters)[number]]?: string } & {
  accountId?: number
  /** Whether a workspace holds it. */
  managed?: boolean
  state?: 'gone' | 'all'
}
