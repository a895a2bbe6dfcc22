import type { Caller } from '../../domain/access/caller.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { mails } from '../../store/mails/mails.ts'
import { queueCommentMails, runComments, type RunComment } from '../../store/runs/run-comments.ts'
import type { RunOfStages } from '../../store/runs/stages.ts'

/** A page of a run has room for them, and its timeline for their entries beside its own. */
const mostComments = 200

/** Adds a comment and queues the mails about it. The audit entry names the comment without its text. */
export async function commentRun(
  tenant: Tenant,
  caller: Caller,
  { run, text }: { run: RunOfStages; text: string },
): Promise<ReturnType<typeof presentComment>> {
  const said = text.trim()
  if (said === '') throw invalid('Write a comment.', [{ path: 'text', message: 'is empty' }])
  const comments = runComments(tenant)
  const id = await comments.add(run, { userId: caller.userId, text: said, most: mostComments })
  if (id === undefined)
    throw conflict(
      'too_many_comments',
      `This run has ${mostComments} comments, which is the most. Go on in an issue or a chat, and link it in the next run.`,
    )
  await auditLog(tenant, actorOf(caller)).record('pipeline.run_commented', {
    target: { kind: 'run', id: run.workspaceRunId ?? run.id },
    detail: { commentId: id },
  })
  await queueCommentMails(tenant, id)
  await mails(tenant).announce()
  const comment = await comments.find(id)
  if (!comment) throw new Error('a comment that was just written is gone')
  return presentComment(comment)
}

export const presentComment = ({ id, user, text, createdAt }: RunComment) => ({
  id,
  user,
  text,
  createdAt: createdAt.toISOString(),
})
