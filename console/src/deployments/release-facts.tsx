import type { ReactNode } from 'react'
import type { AnyRunDetail, Pipeline, RunPlace } from '../api/types.ts'
import { voidWords } from '../api/words.ts'
import { plainLine } from '../parts/plain-text.ts'
import { Time } from '../parts/time.tsx'
import { RunLink } from '../runs/run-row.tsx'
import { TemporalLink, useTemporalLink } from '../runs/temporal-link.tsx'
import { ArtifactFacts } from './artifact-facts.tsx'
import { progressWords } from './release-words.ts'
import { countWords } from './hosts-by-batch.ts'

type Props = { run: AnyRunDetail; place: RunPlace; pipeline: Pipeline | undefined }

/** The summary next to the tabs of a run: artifact, deployment, decisions and source. */
export function ReleaseFacts({ run, place, pipeline }: Props) {
  return (
    <aside className="facts" aria-label="Facts of this run">
      <section>
        <h2>Artifact</h2>
        <ArtifactFacts run={run} place={place} />
      </section>
      <section>
        <h2>Deployment</h2>
        <DeploymentFacts run={run} place={place} />
      </section>
      {run.approvals.length > 0 && <Decisions run={run} />}
      <section>
        <h2>Source</h2>
        <SourceFacts run={run} place={place} pipeline={pipeline} />
      </section>
    </aside>
  )
}

function DeploymentFacts({ run: { deployment, workspaceId }, place }: Omit<Props, 'pipeline'>) {
  if (workspaceId === null) return <p className="dim">The pipeline had no target.</p>
  if (!deployment) return <p className="dim">Not begun.</p>
  return (
    <>
      <p>{progressWords(deployment)}</p>
      <p className="dim">{countWords(deployment.hosts)}</p>
      {deployment.rolledBackTo !== null && (
        <p>
          Hosts went back to{' '}
          <RunLink place={{ kind: 'pipeline', id: place.id, runId: deployment.rolledBackTo }}>
            an earlier release
          </RunLink>
          .
        </p>
      )}
    </>
  )
}

const Decisions = ({ run }: { run: AnyRunDetail }) => (
  <section>
    <h2>Decisions</h2>
    <ul className="findings">
      {run.approvals.map((approval) => (
        <li key={approval.at + approval.user}>
          {approval.user} {approval.decision}{' '}
          {approval.step ? `step ${approval.step}` : 'the release'}, <Time at={approval.at} />
          {approval.void && ` (no longer counts: ${voidWords(approval.void.reason)})`}
          {approval.comment && <q>{approval.comment}</q>}
        </li>
      ))}
    </ul>
  </section>
)

function SourceFacts({ run, place, pipeline }: Props) {
  const { commit, planDigest, rollbackOf, trigger } = run
  const isOver = run.state !== 'running'
  const workflow = useTemporalLink(run.workflowId)
  const from = rollbackOf ?? (trigger?.kind === 'promotion' ? trigger.id : null)
  return (
    <dl className="pairs">
      {pipeline?.appRepo && <Fact name="Repository">{<bdi>{pipeline.appRepo}</bdi>}</Fact>}
      <Fact name="Commit">
        {commit ? (
          <>
            <code>{commit.sha.slice(0, 12)}</code>
            {commit.tag ? ` of tag ${commit.tag}` : commit.branch ? ` of ${commit.branch}` : ''}
            {commit.message && (
              <>
                {', '}
                <bdi>{plainLine(commit.message)}</bdi>
              </>
            )}
          </>
        ) : (
          <span className="dim">{isOver ? 'none' : 'none yet'}</span>
        )}
      </Fact>
      {from !== null && (
        <Fact name={rollbackOf === null ? 'Promoted' : 'Back to'}>
          {rollbackOf === null ? (
            'the artifact of a run that was tested elsewhere'
          ) : (
            <RunLink place={{ kind: 'pipeline', id: place.id, runId: from }}>
              the run of that release
            </RunLink>
          )}
        </Fact>
      )}
      <Fact name="Release">
        {planDigest ? (
          <code className="digest">{planDigest}</code>
        ) : (
          <span className="dim">{isOver ? 'none' : 'none yet'}</span>
        )}
      </Fact>
      {workflow !== undefined && (
        <Fact name="Workflow">
          <TemporalLink workflowId={run.workflowId}>Open in Temporal’s UI</TemporalLink>
        </Fact>
      )}
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)
