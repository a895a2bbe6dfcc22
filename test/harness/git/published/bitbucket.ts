import type { Schema } from 'bitbucket'
import type * as peer from '../bitbucket-answers.ts'

// The `bitbucket` client's types are made of Atlassian's own OpenAPI document. By the compiler
// alone: a field of the peer's that is named or typed otherwise than there does not build. Data
// Center publishes no such document.

/** The published types take any further field. One that only the peer has must not pass by that. */
type Named<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }
type Held<Own extends Published, Published> = Exclude<keyof Own, Named<Published>>

/** Atlassian answers null in an empty repository, which the type does not know. */
type WithBranch = Omit<peer.Repository, 'mainbranch'> & {
  mainbranch: NonNullable<peer.Repository['mainbranch']>
}
/** What was asked for is what is there: any text, as far as the peer knows. */
type WithEvents = Omit<peer.Webhook, 'events'>

type Invented = [
  Held<peer.Branch, Schema.Branch>,
  Held<WithBranch, Schema.Repository>,
  Held<peer.Commit, Schema.Commit>,
  Held<peer.Diffstat, Schema.Diffstat>,
  Held<peer.PullRequest, Schema.Pullrequest>,
  Held<peer.Comment, Schema.PullrequestComment>,
  Held<WithEvents, Schema.WebhookSubscription>,
  Held<peer.Page<peer.Commit>, Schema.PaginatedChangeset>,
  Held<peer.Page<peer.Diffstat>, Schema.PaginatedDiffstats>,
  Held<peer.Page<WithBranch>, Schema.PaginatedRepositories>,
  Held<peer.Page<peer.PullRequest>, Schema.PaginatedPullrequests>,
  Held<peer.Page<WithEvents>, Schema.PaginatedWebhookSubscriptions>,
]
/** Does not build where a field was invented: then one of these is no `never`. */
export const nothingInvented: Invented[number][] extends never[] ? true : false = true
