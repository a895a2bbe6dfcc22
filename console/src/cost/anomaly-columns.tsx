import { Link } from '@tanstack/react-router'
import type { Column } from '../parts/data-table.tsx'
import { anomalyStateWords, kindWords, nameOfAnomaly, severityWords } from './anomaly-words.ts'
import { dayWords } from '../parts/day-words.ts'
import { money } from './money.ts'
import type { Anomaly } from './queries.ts'

export function AnomalyState({ state }: Pick<Anomaly, 'state'>) {
  const { tone, sign, word } = anomalyStateWords[state]
  return (
    <span className={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </span>
  )
}

export const daysOfAnomaly = ({ firstDay, lastDay }: Pick<Anomaly, 'firstDay' | 'lastDay'>) =>
  firstDay === lastDay ? dayWords(firstDay) : `${dayWords(firstDay)} to ${dayWords(lastDay)}`

export const anomalyColumns: ReadonlyArray<Column<Anomaly>> = [
  {
    title: 'Anomaly',
    render: (anomaly) => (
      <>
        <Link to="/cost/anomalies/$id" params={{ id: anomaly.id }}>
          {nameOfAnomaly(anomaly)}
        </Link>
        <span className={`tag ${severityWords[anomaly.severity].tone}`}>
          {severityWords[anomaly.severity].word}
        </span>
        <span className="row-sub">{kindWords[anomaly.kind]}</span>
      </>
    ),
  },
  { title: 'State', render: (anomaly) => <AnomalyState state={anomaly.state} /> },
  { title: 'Days', look: 'dim', render: daysOfAnomaly },
  {
    title: 'More than expected',
    render: ({ impact, currency }) => <span className="num">{money(impact, currency)}</span>,
  },
]
