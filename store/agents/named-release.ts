/**
 * SQL: the columns of the agent `a` after it named the release that it runs, or null for none. They stay as they are
 * where it named neither, and the run stays known where it named the same digest without one.
 */
export const namedRelease = ({
  isNamed,
  digest,
  runId,
}: Record<'isNamed' | 'digest' | 'runId', string>): { digest: string; runId: string } => ({
  digest: `case when ${isNamed} then ${digest} else a.release_digest end`,
  runId: `case when not ${isNamed} then a.release_run_id
    when a.release_digest = ${digest} then coalesce(${runId}, a.release_run_id) else ${runId} end`,
})
