import type { Schema } from 'bitbucket'
import type * as peer from '../bitbucket-answers.ts'

// The types of the `bitbucket` client are generated from Atlassian's OpenAPI document. The compiler
// checks the peer's answers against them: a field with another name or type fails the build.
// Bitbucket Data Center publishes no such document.

/** The published types accept additional fields. These types find fields that only the peer has. */
type Named<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }
type Held<Own extends Published, Published> = Exclude<keyof Own, Named<Published>>

/** Atlassian answers null for an empty repository, which the published type does not allow. */
type WithBranch = Omit<peer.Repository, 'mainbranch'> & {
  mainbranch: NonNullable<peer.Repository['mainbranch']>
}
/**
 * The peer stores the events of a webhook as the texts that it was sent, so their type is wider.
 */
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
/**
 * Fails the build if the peer has a field that Atlassian does not: then an element is not `never`.
 */
export const nothingInvented: Invented[number][] extends never[] ? true : false = true
