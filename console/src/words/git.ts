import type { ErrorWords } from './error-action.ts'

const connections = { label: 'Open Git connections', to: '/organization/git' } as const
const moved = 'The repository changed meanwhile. Try again.'

/** Errors of Git hosts and repositories. */
export const gitErrors = {
  git_provider_unavailable: 'The Git host cannot be reached. Try again in a moment.',
  git_rate_limited: {
    text: 'The Git host limits how often it may be asked. Try again later.',
    withFacts: true,
  },
  git_refused: { text: 'The Git host refused the request.', withFacts: true },
  git_forbidden: {
    text: 'The token does not have the rights for this. Use one with more rights.',
    action: connections,
  },
  git_token_rejected: {
    text: 'The Git host rejects the token. Replace it with a new one.',
    action: connections,
  },
  git_token_shape: 'This is not a token of this Git host. Copy it again.',
  git_permissions_missing: {
    text: 'The token has too few rights for this repository.',
    withFacts: true,
  },
  git_host_invalid:
    'This is not the address of a Git host. Enter a name such as gitlab.example.com.',
  git_not_found: 'The Git host does not find it, or the token may not see it.',
  git_repository_not_found: 'The repository does not exist, or the token may not see it.',
  git_repository_archived: 'The repository is archived, so nothing can be written to it.',
  git_repository_empty: 'The repository is empty. Push a first commit.',
  git_repository_too_large: { text: 'The repository is too large.', withFacts: true },
  git_branch_not_found: 'The branch does not exist. Check its name.',
  git_branch_protected:
    'The branch is protected and takes no direct commits. Allow this token to push, or choose another branch.',
  git_branch_busy: 'Another commit to this branch is under way. Try again in a moment.',
  git_folder_not_found: 'The folder does not exist in this branch. Check its path.',
  git_head_moved: moved,
  git_source_moved: moved,
  git_unreadable: 'The repository could not be read. Try again.',
  git_source_not_text: {
    text: 'The folder has a file that is not text. Take it out of the folder.',
    withFacts: 'names',
  },
  git_source_too_large: { text: 'The folder is too large for a workspace.', withFacts: true },
  git_source_unsafe_path: { text: 'The repository has an unsafe path.', withFacts: 'names' },
  repo_already_connected: 'This repository and branch are connected already.',
  hydration_not_diverged: 'There is nothing to decide any more. Reload the page.',
  hydration_not_failed: 'Only a failed commit can be tried again. Reload the page.',
  hydration_too_large:
    'A file in the repository is larger than a configuration may have. Make it smaller there, or overwrite it.',
  hydration_superseded: 'There is a newer version of the files now. Reload the page.',
} as const satisfies Record<string, ErrorWords>
