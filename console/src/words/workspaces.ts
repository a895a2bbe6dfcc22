import type { ErrorWords } from './error-action.ts'

const files = { label: 'Add files', tab: 'files' } as const
const runs = { label: 'Show the runs', tab: 'runs' } as const
const git = { label: 'Choose the source', tab: 'git' } as const
const stateMoved = 'The state changed meanwhile. Reload the page and try again.'

/** Errors of workspaces: files, variables, state and locks. */
export const workspaceErrors = {
  agent_limit: {
    text: 'No more agents fit here. Delete those that you no longer need.',
    withFacts: true,
  },
  agent_busy: 'This agent carries out a deployment. Wait until it is done.',
  name_taken: { text: 'This name is taken. Choose another one.', withFacts: true },
  no_configuration: {
    text: 'This workspace has no files yet. Add its files before you start a run.',
    action: files,
  },
  configuration_refused: {
    text: 'The files were refused.',
    withFacts: 'names',
  },
  configuration_changed: 'The files changed since you looked at them. Look at them again.',
  configuration_overtaken:
    'Another person saved a newer version of the files. Nothing was written. Merge your changes with it.',
  file_not_formatted: {
    text: 'The file has an error, so it was not formatted.',
    withFacts: 'names',
  },
  formatter_unavailable: 'The file could not be formatted. Try again in a moment.',
  files_not_seen: 'Only the author has seen these files. Look at them before you decide.',
  source_is_git: {
    text: 'The files of this workspace come from Git. Change them in the repository.',
    action: git,
  },
  not_connected: {
    text: 'The Git connection of this workspace was disconnected. Choose another one.',
    action: git,
  },
  no_repository: {
    text: 'Neither the workspace nor its Git connection names a repository. Choose one.',
    action: git,
  },
  state_not_empty:
    'The state still has resources. Destroy them first, or leave them running and delete the workspace.',
  workspace_in_use: {
    text: 'Application pipelines deploy to this workspace. Give them another target, or delete them, before you delete it.',
  },
  run_in_progress: { text: 'A run is not over. Wait for its end, or cancel it.', action: runs },
  not_locked: 'The workspace is not locked any more.',
  lock_mismatch: 'Another person holds the lock now. Reload the page.',
  lock_required: 'The state can only be written under a lock.',
  fenced: 'The run that wrote this state has lost its turn.',
  invalid_state: 'This is not a valid OpenTofu state.',
  configuration_unreadable: 'The files could not be read. Save them again.',
  state_unreadable: 'The state cannot be read now. Try again in a moment.',
  lineage_mismatch: 'This state belongs to another workspace, or was created again.',
  serial_conflict: stateMoved,
  serial_taken: stateMoved,
  serial_jump: 'The serial of this state is too far above the current one.',
  serial_too_high: 'The serial of the state is at its limit. Restore it with a new lineage.',
  variable_refused: {
    text: 'This environment variable is refused, because it would change which programs a run starts.',
    withFacts: 'names',
  },
  variable_phase_refused: {
    text: 'This variable cannot be limited to one phase.',
    withFacts: true,
  },
  variable_not_maskable: {
    text: 'This value cannot be hidden in logs. Use a longer one, or make the variable not sensitive.',
    withFacts: 'names',
  },
  variable_too_large: { text: 'The value is too large for one variable.', withFacts: 'names' },
  variables_too_large: {
    text: 'The variables of this workspace are too large together. Shorten or delete some.',
    withFacts: true,
  },
  view_limit: 'The organization has as many shared views as it may. Stop sharing one first.',
  variable_limit: 'This workspace has as many variables as it may. Delete one that is not used.',
  too_many_uploads: 'Other uploads are being received. Try again in a moment.',
  too_many_downloads: 'Other downloads are under way. Try again in a moment.',
  downloads_busy: 'Other downloads are under way. Try again in a moment.',
} as const satisfies Record<string, ErrorWords>
