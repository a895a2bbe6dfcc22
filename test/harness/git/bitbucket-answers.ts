// The answers of the Bitbucket Cloud peer. `published/bitbucket.ts` checks them against Atlassian's
// types.

type Paths = { type: string; path: string }
type Side = { branch: { name: string }; repository?: { type: string; uuid: string } }

export type Branch = { type: string; name: string; target: { type: string; hash: string } }
export type Repository = {
  type: string
  uuid: string
  full_name: string
  is_private: boolean
  mainbranch: { type: string; name: string } | null
}
/** CHANGE-3022, which is newer than the published types. */
export type WorkspaceAccess = {
  type: 'workspace_access'
  administrator: boolean
  workspace: { type: 'workspace_base'; uuid: string; slug: string }
}
export type Commit = {
  type: string
  hash: string
  author: { type: string; raw: string }
  message: string
}
export type Diffstat = {
  type: string
  status: 'added' | 'removed' | 'modified'
  old?: Paths
  new?: Paths
}
export type PullRequest = {
  type: string
  id: number
  state: 'OPEN' | 'DECLINED'
  title?: string
  source?: Side
  destination?: Side
  links?: { html: { href: string } }
}
export type Comment = { type: string; id: number; deleted: boolean; content: { raw: string } }
export type Webhook = {
  type: string
  uuid: string
  url: string
  events: string[]
  active: boolean
  secret_set: boolean
}
export type Page<T> = { values: T[]; page?: number; pagelen?: number; next?: string }
