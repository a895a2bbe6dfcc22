import type { Knex } from 'knex'
import { askNamed } from '../driver/ask-prepared.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { RunOfStages } from './stages.ts'

export type RunComment = {
  id: number
  /** Null for a run of an application. */
  workspaceRunId: number | null
  /** Null for a run of a workspace. */
  pipelineRunId: number | null
  text: string
  createdAt: Date
  /** Address or name of its author, also after they have left. */
  user: string
}

/** What people said of the runs of one organization. A comment is neither changed nor removed. */
export function runComments(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  const comments = () => selectComments(db, organizationId)

  return {
    /** Undefined once its run is gone. */
    async find(id: number): Promise<RunComment | undefined> {
      return comments().where('c.id', id).first()
    },

    /** Oldest first, those with an id above `after`. */
    async list(
      run: RunOfStages,
      { limit, after }: { limit: number; after: number },
    ): Promise<RunComment[]> {
      const { column, runId } = placeOf(run)
      return comments()
        .where(`c.${column}`, runId)
        .where('c.id', '>', after)
        .orderBy('c.id')
        .limit(limit)
    },

    async count(run: RunOfStages): Promise<number> {
      const { column, runId } = placeOf(run)
      const query = db.raw(
        'select count(*)::integer as count from run_comments where organization_id = ? and ?? = ?',
        [organizationId, column, runId],
      )
      const [row] = await askNamed<{ count: number }>(db, `comments-by-${column}`, query)
      return row?.count ?? 0
    },

    /** Undefined where the run has `most` already. Two at once may both be the last. */
    async add(
      run: RunOfStages,
      { userId, text, most }: { userId: number; text: string; most: number },
    ): Promise<number | undefined> {
      if ((await this.count(run)) >= most) return undefined
      const { column, runId } = placeOf(run)
      const [row] = await db('run_comments')
        .insert({ organizationId, [column]: runId, userId, text })
        .returning('id')
      return row.id
    },
  }
}

const selectComments = (db: Knex, organizationId: number) =>
  db('run_comments as c')
    .join('users as u', (on) =>
      on.on('u.organizationId', 'c.organizationId').on('u.id', 'c.userId'),
    )
    .where('c.organizationId', organizationId)
    .select(
      'c.id',
      'c.workspaceRunId',
      'c.pipelineRunId',
      'c.text',
      'c.createdAt',
      db.raw(`coalesce(nullif(u.email, ''), u.name) as user`),
    )

/** The column of the run, and its value there. */
const placeOf = ({ id, workspaceRunId }: RunOfStages) =>
  workspaceRunId === null
    ? { column: 'pipelineRunId' as const, runId: id }
    : { column: 'workspaceRunId' as const, runId: workspaceRunId }

/**
 * Queues a mail to everybody else who has a part in the run of the comment: its author, who decided on it and who
 * commented before. Who got one about this run in the last ten minutes gets no other. The worker is not woken.
 */
export async function queueCommentMails(tenant: Tenant, commentId: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(
    `with said as (select * from run_comments where organization_id = :organizationId and id = :commentId)
         insert into mails (organization_id, kind, user_id, detail)
         select u.organization_id, 'run_commented', u.id, jsonb_build_object('commentId', said.id)
         from said join users u on u.organization_id = said.organization_id and u.id <> said.user_id
         where u.email is not null and u.id in (
             select author_user_id from workspace_runs
               where organization_id = :organizationId and id = said.workspace_run_id
             union select author_user_id from application_runs
               where organization_id = :organizationId and pipeline_run_id = said.pipeline_run_id
             union select user_id from approvals where organization_id = :organizationId
               and (workspace_run_id = said.workspace_run_id or pipeline_run_id = said.pipeline_run_id)
             union select user_id from run_comments where organization_id = :organizationId
               and (workspace_run_id = said.workspace_run_id or pipeline_run_id = said.pipeline_run_id))
           and not exists (
             select from mails m join run_comments c
                 on c.organization_id = m.organization_id and c.id = (m.detail ->> 'commentId')::integer
               where m.organization_id = u.organization_id and m.user_id = u.id and m.kind = 'run_commented'
                 and m.created_at > now() - interval '10 minutes'
                 and (c.workspace_run_id = said.workspace_run_id or c.pipeline_run_id = said.pipeline_run_id))`,
    { organizationId, commentId },
  )
}
