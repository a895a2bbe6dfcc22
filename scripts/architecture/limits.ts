import type { Limits } from './judge-modules.ts'

const procedure = 'A procedure of several nouns, which waits for `app/<noun>/`.'
const startsWorkflow = 'Starts a workflow beside its row, which waits for `app/git/`.'
const sharedSql = 'A rule in SQL that several nouns share, and that stands in one place.'
const found = 'A host and its parts, which wait for `gateways/git/<provider>/`.'
const signal = 'The one signal that the outbox sends, which waits for `app/`.'

/**
 * What the rules of `layers.ts` let pass for now. It only becomes shorter: the check fails on an
 * exception that is not needed any more, and a new one needs a reason that a reviewer accepts.
 */
export const limits: Limits = {
  exceptions: [
    {
      reason: sharedSql,
      from: 'store/console/console-data.ts',
      to: ['store/pipelines/approval-rule.ts'],
    },
    {
      reason: startsWorkflow,
      from: 'store/git/git-deliveries.ts',
      to: ['store/outbox/outbox.ts', 'workflows/git/contract.ts', 'workflows/platform/contract.ts'],
    },
    {
      reason: startsWorkflow,
      from: 'store/git/git-hydrations.ts',
      to: ['store/outbox/outbox.ts', 'workflows/git/contract.ts', 'workflows/platform/contract.ts'],
    },
    {
      reason: startsWorkflow,
      from: 'store/git/start-comment.ts',
      to: ['store/outbox/outbox.ts', 'workflows/git/contract.ts', 'workflows/platform/contract.ts'],
    },
    {
      reason: startsWorkflow,
      from: 'store/git/start-initialization.ts',
      to: ['store/outbox/outbox.ts', 'workflows/git/contract.ts', 'workflows/platform/contract.ts'],
    },
    {
      reason: startsWorkflow,
      from: 'store/git/start-webhook.ts',
      to: ['store/outbox/outbox.ts', 'workflows/git/contract.ts', 'workflows/platform/contract.ts'],
    },
    {
      reason: sharedSql,
      from: 'store/groups/recompute-group-roles.ts',
      to: ['store/users/person-makers.ts'],
    },
    { reason: procedure, from: 'store/mails/mails.ts', to: ['store/pipelines/approvers.ts'] },
    { reason: signal, from: 'store/outbox/outbox.ts', to: ['workflows/pipelines/contract.ts'] },
    {
      reason: procedure,
      from: 'store/pipelines/actor-of-run.ts',
      to: ['store/audit/audit-log.ts', 'store/users/users.ts'],
    },
    { reason: procedure, from: 'store/pipelines/approvers.ts', to: ['store/users/users.ts'] },
    {
      reason: procedure,
      from: 'store/pipelines/create-run.ts',
      to: ['store/audit/audit-log.ts', 'store/git/git-hydrations.ts'],
    },
    {
      reason: procedure,
      from: 'store/pipelines/end-run.ts',
      to: [
        'store/audit/audit-log.ts',
        'store/git/start-comment.ts',
        'store/tokens/tokens.ts',
        'store/workspaces/workspace-locks.ts',
        'store/workspaces/workspaces.ts',
      ],
    },
    {
      reason: procedure,
      from: 'store/pipelines/park-unseen.ts',
      to: [
        'store/audit/audit-log.ts',
        'store/mails/mails.ts',
        'store/organizations/settings.ts',
        'store/workspaces/workspaces.ts',
      ],
    },
    {
      reason: procedure,
      from: 'store/pipelines/promote-next.ts',
      to: [
        'store/organizations/is-active.ts',
        'store/outbox/outbox.ts',
        'store/workspaces/workspace-locks.ts',
        'store/workspaces/workspaces.ts',
        'workflows/pipelines/contract.ts',
        'workflows/platform/contract.ts',
      ],
    },
    {
      reason: procedure,
      from: 'store/pipelines/send-back-run.ts',
      to: ['store/audit/audit-log.ts', 'store/mails/mails.ts', 'store/organizations/settings.ts'],
    },
    {
      reason: procedure,
      from: 'store/pipelines/void-unable-approvals.ts',
      to: [
        'store/outbox/outbox.ts',
        'store/workspaces/workspaces.ts',
        'workflows/pipelines/contract.ts',
      ],
    },
    {
      reason: procedure,
      from: 'store/pipelines/void-waiting-runs.ts',
      to: ['store/outbox/outbox.ts', 'workflows/pipelines/contract.ts'],
    },
    {
      reason: procedure,
      from: 'store/policies/note-guard-change.ts',
      to: ['store/workspaces/note-change.ts'],
    },
    { reason: procedure, from: 'store/saml/open-saml-session.ts', to: ['store/users/sessions.ts'] },
    { reason: sharedSql, from: 'store/saml/saml-people.ts', to: ['store/users/person-makers.ts'] },
    { reason: sharedSql, from: 'store/scim/member-roles.ts', to: ['store/users/person-makers.ts'] },
    { reason: procedure, from: 'store/users/end-access.ts', to: ['store/mails/mails.ts'] },
    {
      reason: procedure,
      from: 'store/users/take-off-second-factor.ts',
      to: ['store/audit/audit-log.ts', 'store/mails/mails.ts'],
    },
    {
      reason: procedure,
      from: 'store/workspaces/note-change.ts',
      to: ['store/audit/audit-log.ts', 'store/pipelines/void-waiting-runs.ts'],
    },
    {
      reason: procedure,
      from: 'store/workspaces/release-lock.ts',
      to: [
        'store/outbox/outbox.ts',
        'store/pipelines/promote-next.ts',
        'store/pipelines/workspace-runs.ts',
        'workflows/pipelines/contract.ts',
      ],
    },
    {
      reason: sharedSql,
      from: 'store/workspaces/source-of-workspace.ts',
      to: ['store/git/git-connections.ts'],
    },
    {
      reason: procedure,
      from: 'store/workspaces/take-git-version.ts',
      to: [
        'store/audit/audit-log.ts',
        'store/pipelines/void-waiting-runs.ts',
        'store/users/users.ts',
      ],
    },
  ],
  cycles: [
    { reason: found, file: 'gateways/git/github-commit.ts' },
    { reason: found, file: 'gateways/git/gitlab-commit.ts' },
  ],
  entries: [
    /^(api\/server|(bench|runner|worker)\/main|workflows\/index|console\/src\/main)\.tsx?$/,
    /^scripts\/[^/]+$/,
    /^bench\/(bare-server|hostile\/look-at-loop|load-client)\.ts$/,
    /^gateways\/states\/split-state-process\.ts$/,
    /^worker\/print-workflow-bundle\.ts$/,
  ],
  maxLines: 60,
  longFunctions: {
    activities: 5,
    api: 26,
    bench: 2,

    console: 29,
    engines: 2,
    gateways: 14,
    runner: 3,
    store: 31,
    worker: 1,
  },
}
