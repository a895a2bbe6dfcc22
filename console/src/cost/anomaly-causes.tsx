import { DataTable, type Column } from '../parts/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { RunLink } from '../runs/run-row.tsx'
import { money } from './money.ts'
import type { Anomaly } from './queries.ts'

type Cause = Anomaly['runs'][number]

const becauseWords: Record<Cause['because'], string> = {
  resource: 'changed a resource that costs more now',
  account: 'changed this service in this account',
}

/** The runs that may have raised the cost, the likeliest first. */
export function AnomalyCauses({ anomaly }: { anomaly: Anomaly }) {
  const rows = anomaly.runs.map((run) => ({ ...run, id: run.runId }))
  return (
    <section className="section">
      <h2>Runs that may have caused it</h2>
      {rows.length === 0 && (
        <p className="dim quiet-line">
          {anomaly.scope
            ? 'No run changed a resource that costs more now, from three days before it.'
            : 'No run changed its resources, its account or its service from three days before it.'}
        </p>
      )}
      <DataTable
        label="Runs that may have caused it"
        rows={rows}
        columns={causeColumns(anomaly.currency)}
      />
    </section>
  )
}

const causeColumns = (currency: string): ReadonlyArray<Column<Cause & { id: number }>> => [
  {
    title: 'Run',
    render: ({ runId, pipelineId, workspaceName, number, because }) => (
      <>
        <RunLink place={{ kind: 'pipeline', id: pipelineId, runId }}>
          {workspaceName} #{number}
        </RunLink>
        <span className="row-sub">{becauseWords[because]}</span>
      </>
    ),
  },
  { title: 'Started by', render: ({ author }) => author.label },
  { title: 'Applied', look: 'dim', render: ({ appliedAt }) => <Time at={appliedAt} /> },
  {
    title: 'What it changed costs more by',
    render: ({ rise }) => <span className="num">{money(rise, currency)}</span>,
  },
  {
    title: 'Predicted a month',
    look: 'dim',
    render: ({ predictedDelta }) =>
      predictedDelta === null ? (
        'not known'
      ) : (
        <span className="num">
          {predictedDelta > 0 && '+'}
          {money(predictedDelta, currency)}
        </span>
      ),
  },
]
