import { Link } from '@tanstack/react-router'
import type { RunDetail } from '../api/types.ts'
import { nameOfAnomaly } from '../cost/anomaly-words.ts'
import { money } from '../cost/money.ts'

/** The anomalies of cost that this run may have caused. */
export function RunAnomalies({ run: { anomalies } }: { run: RunDetail }) {
  if (anomalies.length === 0) return null
  return (
    <section>
      <h2>Anomalies that it may have caused</h2>
      <ul className="findings">
        {anomalies.map(({ id, impact, currency, ...anomaly }) => (
          <li key={id}>
            <Link to="/cost/anomalies/$id" params={{ id }}>
              {nameOfAnomaly(anomaly)}
            </Link>
            : {money(impact, currency)} more than expected
          </li>
        ))}
      </ul>
    </section>
  )
}
