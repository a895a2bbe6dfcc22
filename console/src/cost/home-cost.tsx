import { Link } from '@tanstack/react-router'
import type { Answer } from '../api/call.ts'
import { plural } from '../api/words.ts'
import { change, money } from './money.ts'

export type HomeCostData = Answer<'getConsoleData'>['cost']

/** What the month costs, and what asks for attention. Nothing where there is no cost yet. */
export function HomeCost({ cost }: { cost: HomeCostData }) {
  const { monthToDate, monthComplete, monthBefore, forecast, currency, budgets, openAnomalies } =
    cost
  const urgent = budgets.filter(({ state }) => state === 'warn' || state === 'exceeded')
  const hasCost = monthToDate !== 0 || (monthBefore ?? 0) !== 0
  if (!hasCost && urgent.length === 0 && openAnomalies === 0) return null
  // The month's last days are not complete yet: with them more days would be compared with fewer.
  const changed =
    monthComplete === null || monthBefore === null ? undefined : change(monthComplete, monthBefore)
  return (
    <section className="section">
      <h2>Cost</h2>
      <p className="home-cost">
        <Link to="/cost">
          <strong className="num">{money(monthToDate, currency, { cents: false })}</strong> this
          month
        </Link>
        {changed !== undefined && (
          <span className="dim">{changed} against the same days of last month</span>
        )}
        {forecast !== null && (
          <span className="dim">
            forecast {money(forecast, currency, { cents: false })} for the whole month
          </span>
        )}
        {openAnomalies > 0 && (
          <Link to="/cost/anomalies" className="warn-text">
            {plural(openAnomalies, 'open anomaly', 'open anomalies')}
          </Link>
        )}
        {urgent.length > 0 && <Budgets budgets={urgent} />}
      </p>
    </section>
  )
}

const shownBudgets = 3

function Budgets({ budgets }: { budgets: HomeCostData['budgets'] }) {
  const worst = budgets.toSorted(
    (one, other) => Number(other.state === 'exceeded') - Number(one.state === 'exceeded'),
  )
  const more = worst.length - shownBudgets
  return (
    <>
      {worst.slice(0, shownBudgets).map(({ id, name, state }) => (
        <Link
          key={id}
          to="/cost/budgets"
          className={state === 'exceeded' ? 'bad-text' : 'warn-text'}
        >
          {name}: {state === 'exceeded' ? 'budget exceeded' : 'close to its budget'}
        </Link>
      ))}
      {more > 0 && <Link to="/cost/budgets">{plural(more, 'more budget')}</Link>}
    </>
  )
}
