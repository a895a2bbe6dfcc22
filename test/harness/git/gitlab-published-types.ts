import type {
  BranchSchema,
  CommitDiffSchema,
  EventSchema,
  GPGSignatureSchema,
  MergeRequestSchema,
  PersonalAccessTokenSchema,
  ProjectSchema,
  RepositoryCompareSchema,
  RepositoryFileExpandedSchema,
  RepositoryTreeSchema,
} from '@gitbeaker/rest'

// The compiler checks the peer's answers against the types that GitLab's client publishes: a field
// with another name or type fails the build. Fields that the product does not read are left out.
export type Branch = Pick<BranchSchema, 'name' | 'protected' | 'can_push'> & {
  commit: Pick<BranchSchema['commit'], 'id'>
}
export type Compared = Pick<RepositoryCompareSchema, 'compare_timeout'> & { diffs: Diff[] }
export type Diff = Pick<
  CommitDiffSchema,
  'old_path' | 'new_path' | 'new_file' | 'deleted_file' | 'renamed_file'
>
export type File = Pick<
  RepositoryFileExpandedSchema,
  'file_path' | 'file_name' | 'encoding' | 'content' | 'commit_id' | 'last_commit_id'
>
export type MergeRequest = Pick<
  MergeRequestSchema,
  'iid' | 'web_url' | 'source_branch' | 'target_branch' | 'title' | 'state'
>
/**
 * An empty project has no default branch (GitLab's documentation), which the type does not allow.
 */
export type Project = Pick<
  ProjectSchema,
  'id' | 'path' | 'path_with_namespace' | 'empty_repo' | 'visibility' | 'archived'
> & { default_branch: ProjectSchema['default_branch'] | null }
export type Token = Pick<PersonalAccessTokenSchema, 'id' | 'active'> & {
  scopes: NonNullable<PersonalAccessTokenSchema['scopes']>
}
/** The type leaves `push_data` open. GitLab's documentation ("Events API") specifies it. */
export type PushEvent = Pick<
  EventSchema,
  'id' | 'project_id' | 'action_name' | 'author_id' | 'author_username'
> & {
  push_data: {
    commit_count: number
    action: string
    ref_type: string
    commit_from: string | null
    commit_to: string | null
    ref: string
    commit_title: string
  }
}
export type Signature = Pick<
  GPGSignatureSchema,
  | 'gpg_key_id'
  | 'gpg_key_primary_keyid'
  | 'gpg_key_user_name'
  | 'gpg_key_user_email'
  | 'verification_status'
>
export type TreeEntry = Pick<RepositoryTreeSchema, 'id' | 'path' | 'name' | 'type' | 'mode'>
