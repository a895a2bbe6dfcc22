import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import { saversBehind } from '../savers-behind.ts'
import type { Caller } from '../../domain/access/caller.ts'
import type { Role } from '../../domain/access/roles.ts'
import type { ApproverFault } from '../../domain/runs/approver-fault.ts'
import {
  faultOfApprover,
  roleOfUser,
  selectApprovalRules,
  selectReleaseRules,
} from '../approval-rule.ts'

/** How many names are shown; a reader needs somebody to ask, not everybody. */
const maxApproversShown = 20

/** A person with the credential they use: its ceiling may be below their role. */
export type Approver = {
  userId: number
  ceiling: Role
  platformAdmin: boolean
  /** Who configured the identity provider of their session; null for a session by password. */
  idpSavedBy: readonly number[] | null
}

/** A person who could approve a run. */
export type Eligible = {
  workspaceRunId: number
  id: number
  name: string
  email: string | null
  userName: string | null
}

/**
 * Of runs of either kind, whose ids come from one sequence. Materialized: otherwise the arrays would be
 * computed again for each person.
 */
const rulesOf = (runs: string): string => `with rule as materialized (
  ${selectApprovalRules} where r.organization_id = :organizationId and r.id ${runs}
  union all
  ${selectReleaseRules} where a.organization_id = :organizationId and a.pipeline_run_id ${runs})`
const oneRun = rulesOf('= :workspaceRunId')
/** By a subselect, as `askNamed` says. */
const manyRuns = rulesOf('= any(array(select unnest(:workspaceRunIds::integer[])))')

/** Everybody a mail about the run makes sense for: who may approve it and has signed in at least once. */
const ableSql = `u.first_signed_in_at is not null and ${faultOfApprover({
  role: roleOfUser,
  platformAdmin: 'u.platform_admin',
  // A person without a password can only sign in by the identity provider.
  idpSavedBy: `case when u.password_hash is null then (
    select c.saved_by from saml_configurations c where c.organization_id = u.organization_id) end`,
})} is null`

/** Who may approve runs of one organization. The rule itself is in approval-rule.ts. */
export function approvers(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** Why this person may not approve the run, or undefined where they may. */
    async faultOf(
      workspaceRunId: number,
      { userId, ceiling, platformAdmin, idpSavedBy }: Approver,
    ): Promise<ApproverFault | undefined> {
      const fault = faultOfApprover({
        role: `least(${roleOfUser}, :ceiling::member_role)`,
        platformAdmin: '(:platformAdmin and u.platform_admin)',
        idpSavedBy: ':idpSavedBy::integer[]',
      })
      const query = db.raw(
        `${oneRun} select ${fault} as fault from rule
           join users u on u.organization_id = rule.organization_id and u.id = :userId`,
        {
          organizationId,
          workspaceRunId,
          userId,
          ceiling,
          platformAdmin,
          idpSavedBy: idpSavedBy as never,
        },
      )
      const [row] = await askNamed<{ fault: ApproverFault | null }>(db, 'fault-of-approver', query)
      return row ? (row.fault ?? undefined) : 'inactive'
    },

    /** The same for a caller with the credential they use, of each run. An unknown run has a fault too. */
    async faultsOfCaller(
      workspaceRunIds: readonly number[],
      { kind, credentialId, userId, role, platformAdmin }: Caller,
    ): Promise<Map<number, ApproverFault | undefined>> {
      if (workspaceRunIds.length === 0) return new Map()
      const fault = faultOfApprover({
        role: `least(${roleOfUser}, :ceiling::member_role)`,
        platformAdmin: '(:platformAdmin and u.platform_admin)',
        idpSavedBy: `(select c.idp_saved_by from ${kind === 'session' ? 'sessions' : 'tokens'} c
          where c.organization_id = rule.organization_id and c.id = :credentialId)`,
      })
      const query = db.raw(
        `${manyRuns} select rule.workspace_run_id as "workspaceRunId", ${fault} as fault from rule
           join users u on u.organization_id = rule.organization_id and u.id = :userId`,
        {
          organizationId,
          workspaceRunIds: [...workspaceRunIds],
          userId,
          credentialId,
          ceiling: role,
          platformAdmin,
        },
      )
      const rows = await askNamed<{ workspaceRunId: number; fault: ApproverFault | null }>(
        db,
        `faults-of-${kind}`,
        query,
      )
      const found = new Map(rows.map((row) => [row.workspaceRunId, row.fault]))
      return new Map(
        workspaceRunIds.map((id) => {
          const fault = found.get(id)
          return [id, fault === undefined ? 'inactive' : (fault ?? undefined)]
        }),
      )
    },

    async faultOfCaller(
      workspaceRunId: number,
      caller: Caller,
    ): Promise<ApproverFault | undefined> {
      return (await this.faultsOfCaller([workspaceRunId], caller)).get(workspaceRunId)
    },

    /** The same for the giver of an approval, as they are now. */
    async faultOfGiver(approval: {
      workspaceRunId: number
      userId: number
      idpSavedBy: readonly number[] | null
    }): Promise<ApproverFault | undefined> {
      const { workspaceRunId, userId, idpSavedBy } = approval
      const giver = { userId, ceiling: 'Owner', platformAdmin: true, idpSavedBy } as const
      return this.faultOf(workspaceRunId, giver)
    },

    async of(caller: Caller): Promise<Approver> {
      const { userId, role, platformAdmin } = caller
      const idpSavedBy = await saversBehind(tenant, caller)
      return { userId, ceiling: role, platformAdmin, idpSavedBy }
    },

    /** The first people who could approve each run now. */
    async eligibleOf(workspaceRunIds: readonly number[]): Promise<Eligible[]> {
      if (workspaceRunIds.length === 0) return []
      const query = db.raw(
        `${manyRuns} select rule.workspace_run_id as "workspaceRunId", able.* from rule cross join lateral (
           select u.id, u.name, u.email, u.user_name as "userName" from users u
           where u.organization_id = rule.organization_id and ${ableSql}
           order by u.id limit ${maxApproversShown}) able
         order by rule.workspace_run_id, able.id`,
        { organizationId, workspaceRunIds: [...workspaceRunIds] },
      )
      return askNamed<Eligible>(db, 'eligible-approvers', query)
    },

    /** Whether this person could approve the run now. */
    async isAble(workspaceRunId: number, userId: number): Promise<boolean> {
      const { rows } = await db.raw(
        `${oneRun} select 1 from rule
           join users u on u.organization_id = rule.organization_id and u.id = :userId
         where ${ableSql}`,
        { organizationId, workspaceRunId, userId },
      )
      return rows.length > 0
    },

    /** Queues a mail to each of them in one statement; a person gets one mail a run. */
    async queueMails(
      workspaceRunIds: readonly number[],
      stage: string,
      column: 'workspace_run_id' | 'application_run_id' = 'workspace_run_id',
    ): Promise<void> {
      if (workspaceRunIds.length === 0) return
      await db.raw(
        `insert into mails (organization_id, kind, user_id, ${column}, detail)
         ${manyRuns} select u.organization_id, 'approval_waiting', u.id, rule.workspace_run_id, :detail::jsonb
           from rule join users u on u.organization_id = rule.organization_id
           where u.email is not null and ${ableSql}
             -- A confirmation is its author's first, and everybody's where the author is no member or may not give it.
             and (not rule.only_confirm or rule.author_user_id = u.id or not exists (
               select from users u where u.organization_id = rule.organization_id
                 and u.id = rule.author_user_id and u.email is not null and ${ableSql}))
         on conflict (organization_id, ${column}, user_id, coalesce(detail ->> 'stage', ''))
           do nothing`,
        {
          organizationId,
          workspaceRunIds: [...workspaceRunIds],
          // Of the approval itself the detail is empty, as it always was.
          detail: JSON.stringify(stage === 'approve' ? {} : { stage }),
        },
      )
    },
  }
}
