export type FoundPull = {
  number: number
  open: boolean
  /** The branch that it would change. */
  into: string
  /** The branch that it comes from; of a fork the name alone says nothing. */
  from: string
  /** Whether it comes from another repository than the one that it is for. */
  fork: boolean
}

/** Pull requests and the comments on them. */
export interface GitPulls {
  pull(name: string, number: number): Promise<FoundPull | null>
  /** Closes the open one between these branches without merging it; false where there is none. */
  closePull(name: string, between: { from: string; into: string }): Promise<boolean>
  /**
   * The changed paths, compared with where it branched off, not with the target's current head. Undefined if the
   * host does not tell all of them.
   */
  changedPaths(name: string, pull: FoundPull): Promise<string[] | undefined>
  /** The id of the first comment that has these words. */
  findComment(name: string, at: { number: number; words: string }): Promise<string | null>
  /** Adds a comment, or edits the one with this id; null if that is gone or is not ours. */
  writeComment(
    name: string,
    comment: { number: number; id: string | null; body: string },
  ): Promise<string | null>
}

/** Comments are looked through so many pages far. */
export const maxCommentPages = 10
