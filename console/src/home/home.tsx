import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { homeQuery } from '../api/queries.ts'
import type { HomeRun } from '../api/types.ts'
import { plural } from '../api/words.ts'
import { useMe } from '../app/session.ts'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { RunRow } from '../runs/run-row.tsx'
import { CertificateNote } from '../saml/certificate-note.tsx'

/** The runs that wait for the signed-in person, the live runs and the failed runs. */
export function HomePage() {
  const query = useQuery(homeQuery)
  const { counts, lastRuns = [], waitingForMe = [], samlCertificates = [] } = query.data ?? {}
  const mine = new Set(waitingForMe.map(({ id }) => id))
  const running = lastRuns.filter(({ id, state }) => state === 'running' && !mine.has(id))
  const failed = lastRuns.filter(({ state }) => state === 'failed')
  return (
    <>
      <PageHead title="Home" />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the runs" />}
      <CertificateNote certificates={samlCertificates} />
      {counts?.workspaces === 0 && <FirstStep />}
      {counts && counts.workspaces > 0 && (
        <>
          <dl className="stats">
            <Stat name={counts.workspaces === 1 ? 'workspace' : 'workspaces'}>
              <Link to="/workspaces">{counts.workspaces.toLocaleString()}</Link>
            </Stat>
            <Stat name={counts.runs.live === 1 ? 'live run' : 'live runs'}>
              {counts.runs.live.toLocaleString()}
            </Stat>
            <Stat
              name={counts.runs.waiting === 1 ? 'waits for approval' : 'wait for approval'}
              tone={counts.runs.waiting > 0 ? 'warn-text' : ''}
            >
              {counts.runs.waiting.toLocaleString()}
            </Stat>
            <Stat
              name="failed in the last day"
              tone={counts.runs.failedLastDay > 0 ? 'bad-text' : ''}
            >
              {counts.runs.failedLastDay.toLocaleString()}
            </Stat>
          </dl>
          <Section title="Waiting for you" rows={waitingForMe}>
            No run waits for you.
          </Section>
          <Section title="Running" rows={running}>
            {counts.runs.live > mine.size ? (
              <Link to="/workspaces">
                {plural(counts.runs.live - mine.size, 'older run is', 'older runs are')} still live.
              </Link>
            ) : (
              <>
                No other run is live. <Link to="/workspaces">Start a run from a workspace.</Link>
              </>
            )}
          </Section>
          <Section title="Failed recently" rows={failed}>
            {counts.runs.failedLastDay > 0
              ? `${plural(counts.runs.failedLastDay, 'run')} failed in the last day.`
              : 'No run failed in the last day.'}
          </Section>
          <p className="dim">
            <Link to="/organization/audit">All activity of the organization</Link>
          </p>
        </>
      )}
    </>
  )
}

function Stat({ name, tone = '', children }: { name: string; tone?: string; children: ReactNode }) {
  return (
    <div className="stat">
      <dt>{name}</dt>
      <dd className={`num ${tone}`}>{children}</dd>
    </div>
  )
}

type SectionProps = { title: string; rows: readonly HomeRun[]; children: ReactNode }

function Section({ title, rows, children }: SectionProps) {
  return (
    <section className="section">
      <h2>
        {title} {rows.length > 0 && <span className="count">{rows.length}</span>}
      </h2>
      {rows.length > 0 ? (
        <ul className="rows">
          {rows.map((run) => (
            <RunRow
              key={run.id}
              run={{ ...run, author: { label: run.author } }}
              place={
                run.pipelineId === null
                  ? { kind: 'workspace', id: run.workspaceId, runId: run.id }
                  : { kind: 'pipeline', id: run.pipelineId, runId: run.id }
              }
              name={run.workspaceName}
              criticality={run.criticality}
            />
          ))}
        </ul>
      ) : (
        <p className="dim quiet-line">{children}</p>
      )}
    </section>
  )
}

function FirstStep() {
  const { may } = useMe()
  return (
    <Empty title="No workspaces yet">
      {may('mutate_infra') ? (
        <>
          <p>
            A workspace holds the files, the variables and the state of one piece of infrastructure.
          </p>
          <Link to="/workspaces" search={{ create: true }} className="button primary">
            Create the first workspace
          </Link>
        </>
      ) : (
        <p>Ask a person with the role Deployer or higher to create the first workspace.</p>
      )}
    </Empty>
  )
}
