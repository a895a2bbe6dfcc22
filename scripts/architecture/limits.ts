import type { Limits } from './judge-modules.ts'

const procedure = 'A repository that asks another noun: its callers in `app/` could ask both.'
const sharedSql = 'A rule in SQL that several nouns share, and that stands in one place.'
const sql = 'A procedure of `app/` with SQL of its own: it belongs into a repository.'
const signal = 'The name of the one signal that the outbox sends.'

/**
 * The exceptions to the rules of `layers.ts`. The list only becomes shorter: the check fails on an
 * exception that is not needed any more, and a new one needs a reason that a reviewer accepts.
 */
export const limits: Limits = {
  exceptions: [
    {
      reason: sharedSql,
      from: 'store/console/console-data.ts',
      to: ['store/pipelines/approval-rule.ts'],
    },
    { reason: procedure, from: 'store/mails/mails.ts', to: ['store/pipelines/approvers.ts'] },
    { reason: signal, from: 'store/outbox/outbox.ts', to: ['workflows/pipelines/contract.ts'] },
    { reason: procedure, from: 'store/pipelines/approvers.ts', to: ['store/users/users.ts'] },
    { reason: sharedSql, from: 'store/saml/saml-people.ts', to: ['store/users/person-makers.ts'] },
    { reason: sharedSql, from: 'store/scim/member-roles.ts', to: ['store/users/person-makers.ts'] },
    { reason: sql, from: 'app/groups/recompute-group-roles.ts', to: ['store/driver/tenant.ts'] },
    { reason: sql, from: 'app/saml/open-saml-session.ts', to: ['store/driver/tenant.ts'] },
  ],
  cycles: [],
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
