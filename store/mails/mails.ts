import { lowestRole } from '../../domain/access/roles.ts'
import type { Db } from '../connect.ts'
import { authorsOf } from '../pipelines/eligible-approvers.ts'
import type { WorkspaceRun } from '../pipelines/workspace-runs.ts'

export type MailKind =
  | 'invitation'
  | 'password_reset'
  | 'address_changed'
  | 'approval_waiting'
  | 'certificate_expiring'

/** Facts of a letter that may have changed when it is written; never a secret. */
export type MailDetail = {
  invitation: { inviter: string }
  password_reset: Record<string, never>
  address_changed: { changedBy: string; from: string; to: string | null }
  certificate_expiring: { fingerprint: string }
}

/**
 * Mails of one organization, left by the transaction of the change that they tell of and
 * sent by the worker after it. A mail server that is away loses none, and no answer waits for one.
 */
export function mails(db: Db, organizationId: number) {
  const notify = () => db.raw(`select pg_notify('cc_mail', '')`)

  return {
    async queue<K extends keyof MailDetail>(
      kind: K,
      userId: number,
      detail: MailDetail[K],
    ): Promise<void> {
      await db('mails').insert({ organizationId, kind, userId, detail: JSON.stringify(detail) })
      await notify()
    },

    /**
     * Tells everybody who may approve the run now, in one statement however many they are.
     * Who was told of this run before is not told again.
     */
    async queueApproval(
      run: Pick<WorkspaceRun, 'id' | 'workspaceId' | 'authorUserId' | 'configurationVersionId'>,
    ): Promise<void> {
      const { ids, unknownAuthor } = await authorsOf(db, organizationId, run)
      await db.raw(
        `insert into mails (organization_id, kind, user_id, workspace_run_id)
         select u.organization_id, 'approval_waiting', u.id, ?
         from users u
         where u.organization_id = ? and u.active and u.deprovisioned_at is null
           and u.email is not null and u.id <> all(?::integer[])
           and (u.platform_admin or exists (select 1 from role_grants g
             where g.organization_id = u.organization_id and g.user_id = u.id and g.role >= ?))
         on conflict (organization_id, workspace_run_id, user_id) do nothing`,
        [
          run.id,
          organizationId,
          [...ids],
          lowestRole[unknownAuthor ? 'manage_cloud_accounts' : 'mutate_infra'],
        ],
      )
      await notify()
    },

    /** Whether a mail that was taken up is still to be sent: nobody has dropped it meanwhile. */
    async isOpen(id: number): Promise<boolean> {
      const row = await db('mails').where({ organizationId, id }).whereNull('endedAt').first('id')
      return row !== undefined
    },

    /** Mails that would bring a link to somebody who must not get one any more. */
    async dropLinks(userId: number): Promise<void> {
      await db('mails')
        .where({ organizationId, userId })
        .whereIn('kind', ['invitation', 'password_reset'])
        .whereNull('endedAt')
        .update({ endedAt: db.fn.now(), outcome: 'moot' })
    },
  }
}
