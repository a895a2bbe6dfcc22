import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../api/call.ts'
import { homeQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { HomeCost } from '../cost/home-cost.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { RunHistory } from '../runs/lazy-history.tsx'
import { CertificateNote } from '../saml/certificate-note.tsx'
import { HomeRuns } from './home-runs.tsx'
import { Onboarding } from './onboarding.tsx'
import { SetupNotes } from './setup-notes.tsx'

/** The runs that wait, the live runs and the failed runs, each asked for by its state. */
export function HomePage() {
  const query = useQuery(homeQuery)
  const { counts, cost, setup, samlCertificates = [] } = query.data ?? {}
  // An application without a target needs no workspace.
  const hasRuns = counts !== undefined && (counts.workspaces > 0 || counts.pipelines > 0)
  return (
    <>
      <PageHead title="Home" />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="the runs" />}
      <CertificateNote certificates={samlCertificates} />
      {setup && <SetupNotes setup={setup} />}
      {setup && counts && <Onboarding setup={setup} workspaces={counts.workspaces} />}
      {counts && !hasRuns && <FirstStep />}
      {counts && !hasRuns && cost && <HomeCost cost={cost} />}
      {counts && hasRuns && (
        <>
          <Stats counts={counts} />
          {cost && <HomeCost cost={cost} />}
          <HomeRuns />
          <RunHistory />
        </>
      )}
    </>
  )
}

function Stats({ counts: { workspaces, runs } }: { counts: Answer<'getConsoleData'>['counts'] }) {
  return (
    <dl className="stats">
      <Stat name={workspaces === 1 ? 'workspace' : 'workspaces'}>
        <Link to="/workspaces">{workspaces.toLocaleString()}</Link>
      </Stat>
      <Stat name={runs.live === 1 ? 'live run' : 'live runs'}>
        <Link to="/runs" search={{ state: 'live' }}>
          {runs.live.toLocaleString()}
        </Link>
      </Stat>
      <Stat
        name={runs.waiting === 1 ? 'waits for approval' : 'wait for approval'}
        tone={runs.waiting > 0 ? 'warn-text' : ''}
      >
        <Link to="/runs" search={{ state: 'waiting' }}>
          {runs.waiting.toLocaleString()}
        </Link>
      </Stat>
      <Stat name="failed in the last day" tone={runs.failedLastDay > 0 ? 'bad-text' : ''}>
        <Link to="/runs" search={{ state: 'failed', ended: 'day' }}>
          {runs.failedLastDay.toLocaleString()}
        </Link>
      </Stat>
    </dl>
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
