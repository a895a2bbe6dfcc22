import { latestFirst } from './latest-first.ts'
import { samePeople } from './same-people.ts'

/**
 * SQL: the versions that this one is based on, since the last apply of it or of one before it. A rerun may be of
 * an older version than the last applied one, which says nothing about what came before the older one.
 */
const basesOf = (version: string): string => `configuration_versions earlier
  where earlier.organization_id = ${version}.organization_id
    and earlier.workspace_id = ${version}.workspace_id
    and earlier.pull_request_id is null
    and earlier.number < ${version}.number
    and earlier.number > coalesce((
      select applied.number from workspace_runs r join configuration_versions applied
        on applied.organization_id = r.organization_id and applied.id = r.configuration_version_id
      where r.organization_id = ${version}.organization_id and r.workspace_id = ${version}.workspace_id
        and r.kind = 'apply' and r.phase = 'succeeded'
        -- It applied nothing, and an author can start one alone.
        and r.reason is distinct from 'no_changes' and applied.number <= ${version}.number
        -- It removed what was applied before, and what was written since was never applied.
        and not r.destroy
      order by r.id desc limit 1), 0)`

/** SQL: whether a version that this one is based on has an unknown author. */
const unknownBefore = (version: string): string =>
  `exists (select from ${basesOf(version)} and earlier.unknown_author)`

/** SQL: the last deployment of the release's pipeline that succeeded on its target. */
const lastGood = (columns: string, more = ''): string => `(
  select ${columns} from deployments good
    join application_runs done on done.organization_id = good.organization_id
      and done.pipeline_run_id = good.pipeline_run_id
  where good.organization_id = a.organization_id and good.pipeline_id = a.pipeline_id
    and good.workspace_id = a.target_workspace_id and good.outcome = 'succeeded' ${more}
  order by ${latestFirst('good')} limit 1)`

/**
 * SQL: this run, and those of its pipeline since the last good deployment, whose commits it has. Where that one brought
 * back an older release, these are also the runs before it whose release was built after that older one: they may have
 * been deployed and removed again, or wait. A rollback has none of their commits.
 */
const sinceLastGood = `application_runs e
  where e.organization_id = a.organization_id and e.pipeline_id = a.pipeline_id
    and e.pipeline_run_id <= a.pipeline_run_id
    and (e.pipeline_run_id = a.pipeline_run_id
      or (a.rollback_of is null
        -- No run is older than its artifact: it narrows what is read.
        and e.pipeline_run_id > coalesce(${lastGood('good.artifact_run_id')}, 0)
        and (e.pipeline_run_id > coalesce(${lastGood('good.pipeline_run_id')}, 0)
          or coalesce(e.artifact_run_id, e.pipeline_run_id) > ${lastGood('good.artifact_run_id')})))`

/**
 * SQL: whether another pipeline, which may be deleted, has built what this run promotes. What this pipeline's own
 * builds would make is no part of it; who decided what the other one makes is among its authors (store/runs/source-of-run.ts).
 */
const buildsElsewhere = `(a.rollback_of is null and a.artifact_run_id is not null and not exists (
  select from application_runs b
  where b.organization_id = a.organization_id and b.pipeline_run_id = a.artifact_run_id
    and b.pipeline_id = a.pipeline_id))`

/**
 * SQL: since when changes and makings count for the first release of a pipeline to its target: since the older of the
 * two was created. Otherwise an author could invite an approver, and then create or move a pipeline for hosts that are
 * there already.
 */
const sinceBoth = 'least(p.created_at, w.created_at)'

/**
 * SQL: the same as `selectApprovalRules`, for each run `a` of an application. Its authors are who started
 * it, who wrote its commits, and who changed its pipeline or its target since the last good deployment. Before the first
 * one, who changed the target earlier than the pipeline was created is an author until that change is applied.
 * What it waits for while it deploys is a confirmation between two steps.
 */
export const selectReleaseRules = `
  select a.pipeline_run_id as workspace_run_id, a.organization_id, a.author_user_id,
    a.phase = 'deploying' and coalesce(w.criticality, 'standard') = 'standard' as only_confirm,
    ${samePeople(
      `array(
      select a.author_user_id where a.author_user_id is not null
      union select unnest(e.author_user_ids) from ${sinceLastGood}
      union select c.user_id from pipeline_authorship c
        where c.organization_id = a.organization_id and c.pipeline_id = a.pipeline_id
          and c.deployed_at is null and (c.part = 'deploy' or not ${buildsElsewhere})
      union select c.user_id from workspace_authorship c
        where c.organization_id = a.organization_id and c.workspace_id = a.target_workspace_id
          and c.at > coalesce(${lastGood('done.created_at')},
            case when c.applied_at is null then ${sinceBoth} else p.created_at end))`,
    )} as authors,
    exists (select from ${sinceLastGood} and e.unknown_author) as unknown_author,
    coalesce(${lastGood(
      'good.started_at',
      // A confirmation may be the author's own, so only the approval before a deployment counts.
      `and exists (select from approvals v where v.organization_id = good.organization_id
        and v.pipeline_run_id = good.pipeline_run_id and v.step = 0 and v.decision = 'approved'
        and v.voided_at is null)`,
    )}, ${sinceBoth}) as since
  from application_runs a
    join pipelines p on p.organization_id = a.organization_id and p.id = a.pipeline_id
    left join workspaces w on w.organization_id = a.organization_id and w.id = a.target_workspace_id`

/**
 * SQL: for each run `r` whether a confirmation is enough, its authors, with those of a release that it deploys, whether one of them is
 * unknown, and since when an author's power over other people counts: since the last apply that a
 * second person approved, else since the workspace exists. An apply without an approval does not start a new window: an author could
 * start one alone, by a run that changes nothing.
 */
export const selectApprovalRules = `
  select r.id as workspace_run_id, r.organization_id,
    coalesce(r.author_user_id, released.author_user_id) as author_user_id,
    r.approval_reasons = '{confirm}' and w.criticality = 'standard' as only_confirm,
    ${samePeople(
      `array(
      select r.author_user_id where r.author_user_id is not null
      union select unnest(r.overrides_by)
      union select unnest(released.authors)
      union select unnest(v.author_user_ids)
      union select unnest(earlier.author_user_ids) from ${basesOf('v')}
      union select a.user_id from workspace_authorship a
        where a.organization_id = r.organization_id and a.workspace_id = r.workspace_id
          and a.applied_at is null)`,
    )} as authors,
    v.unknown_author or ${unknownBefore('v')} or coalesce(released.unknown_author, false) as unknown_author,
    least(released.since, coalesce((
      select t.started_at from workspace_runs done
        join apply_attempts t on t.organization_id = done.organization_id and t.workspace_run_id = done.id
      where done.organization_id = r.organization_id and done.workspace_id = r.workspace_id
        and done.kind = 'apply' and done.phase = 'succeeded'
        and exists (select from approvals p where p.organization_id = done.organization_id
          and p.workspace_run_id = done.id and p.stage = 'approve' and p.voided_at is null)
        -- A confirmation may be the author's own.
        and done.approval_reasons <> '{confirm}'
      order by done.id desc limit 1), w.created_at)) as since
  from workspace_runs r
    join configuration_versions v
      on v.organization_id = r.organization_id and v.id = r.configuration_version_id
    join workspaces w on w.organization_id = r.organization_id and w.id = r.workspace_id
    left join lateral (
      select rules.* from deployments d join lateral (${selectReleaseRules}
        where a.organization_id = d.organization_id and a.pipeline_run_id = d.pipeline_run_id) rules on true
      where r.origin = 'deployment' and d.organization_id = r.organization_id
        and d.workspace_run_id = r.id limit 1) released on true`

/** SQL: whether an author made this person, directly or through others (store/users/person-makers.ts). */
const isMadeByAuthor = (userId: string): string => `exists (
  with recursive maker as (
    select m.made_by from person_makers m
    where m.organization_id = rule.organization_id and m.user_id = ${userId} and m.at > rule.since
    union
    select m.made_by from maker join person_makers m on m.organization_id = rule.organization_id
      and m.user_id = maker.made_by and m.at > rule.since)
  select from maker where maker.made_by = any(rule.authors))`

/**
 * SQL: why the person `u` may not approve the run of `rule`, or null if they may (docs/runs.md,
 * "Who may approve"). This is the only place with the rule: the API, the recheck before an apply,
 * mails, lists and the console use it. `role` and `idpSavedBy` are SQL too: the person's role, and
 * who configured the identity provider that signed them in.
 */
export const faultOfApprover = ({ role, platformAdmin, idpSavedBy }: ApproverSql): string => `case
  when not u.active or u.deprovisioned_at is not null then 'inactive'
  -- Anybody could have made a commit that matches no member, so approving it needs more than a Deployer.
  when not (${platformAdmin} or ${role} >= (
    case when rule.unknown_author and not rule.only_confirm then 'SRE · Cloud Admin' else 'Deployer' end)::member_role) then 'capability'
  -- Anybody who may start such a run may confirm it.
  when rule.only_confirm then null
  when u.id = any(rule.authors) then 'author'
  when ${isMadeByAuthor('u.id')} then 'made_by_author'
  when exists (select from unnest(${idpSavedBy}) as saver (id)
    where saver.id = any(rule.authors) or ${isMadeByAuthor('saver.id')}) then 'signed_in_by_author'
  end`

export type ApproverSql = { role: string; platformAdmin: string; idpSavedBy: string }

/** Of users `u`: the highest role of all sources. */
export const roleOfUser = `coalesce((select max(g.role) from role_grants g
  where g.organization_id = u.organization_id and g.user_id = u.id), 'Viewer')`
