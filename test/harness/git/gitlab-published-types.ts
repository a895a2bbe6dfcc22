import type {
  BranchSchema,
  CommitDiffSchema,
  EventSchema,
  GPGSignatureSchema,
  MergeRequestSchema,
  PersonalAccessTokenSchema,
  ProjectSchema,
  RepositoryFileExpandedSchema,
  RepositoryTreeSchema,
} from '@gitbeaker/rest'

// What the peer answers is held against the types that GitLab's client publishes, by the compiler:
// a field that is named or typed otherwise does not build. Those that nobody reads are left out.
export type Branch = Pick<BranchSchema, 'name' | 'protected' | 'can_push'> & {
  commit: Pick<BranchSchema['commit'], 'id'>
}
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
/** GitLab's documentation has no default branch in an empty project; the type does not know that. */
export type Project = Pick<
  ProjectSchema,
  'id' | 'path' | 'path_with_namespace' | 'empty_repo' | 'visibility' | 'archived'
> & { default_branch: ProjectSchema['default_branch'] | null }
export type Token = Pick<PersonalAccessTokenSchema, 'id' | 'active'> & {
  scopes: NonNullable<PersonalAccessTokenSchema['scopes']>
}
/** The type leaves what was pushed open; GitLab's documentation ("Events API") does not. */
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
