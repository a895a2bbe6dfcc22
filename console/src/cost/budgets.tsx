import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { workspaceQuery } from '../api/queries.ts'
import { useMe } from '../app/session.ts'
import { cloudAccountQuery } from '../clouds/queries.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PagedRows } from '../parts/paged-rows.tsx'
import { LoadMore, PageHead } from '../parts/pages.tsx'
import { BudgetForm } from './budget-form.tsx'
import {
  budgetStateWords,
  monthWords,
  noForecastWords,
  scopeInWords,
  scopeWords,
} from './cost-words.ts'
import { money } from './money.ts'
import { CostTabs } from './cost-tabs.tsx'
import { budgetsQuery, type Budget } from './queries.ts'
import './cost.css'

/** The budgets of the organization, and where each stands in this month. */
export function BudgetsPage() {
  const { may } = useMe()
  const query = useInfiniteQuery(budgetsQuery)
  const [edited, setEdited] = useState<Budget | 'new'>()
  const budgets = query.data?.pages.flatMap((page) => page.budgets) ?? []
  const create = may('mutate_infra') && (
    <Button tone="primary" onClick={() => setEdited('new')}>
      New budget
    </Button>
  )
  return (
    <>
      <PageHead title="Cost" tabTitle="Budgets" actions={budgets.length > 0 && create} />
      <CostTabs />
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="budgets" />}
      {query.isSuccess && budgets.length === 0 && (
        <Empty title="No budgets yet">
          <p>
            A budget is an amount for each month. It warns before the amount is reached, and can
            have runs that would exceed it wait for an approval.
          </p>
          {create || <p>A person with the role Deployer or higher creates the first one.</p>}
        </Empty>
      )}
      <PagedRows pages={query.data?.pages}>
        {(page) =>
          page.budgets.map((budget) => (
            <BudgetRow key={budget.id} budget={budget} onEdit={() => setEdited(budget)} />
          ))
        }
      </PagedRows>
      <LoadMore query={query} />
      {edited && (
        <BudgetForm
          budget={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

function BudgetRow({ budget, onEdit }: { budget: Budget; onEdit: () => void }) {
  const { may } = useMe()
  const { name, currency, actual, amountMonthly, state, overBudget } = budget
  const { tone, sign, word } = budgetStateWords[state]
  return (
    <li>
      <div className="row">
        <span className="row-main">
          <span className="row-title">
            <strong>{name}</strong>
            <span className={`badge ${tone}`}>
              <span aria-hidden="true">{sign}</span>
              {word}
            </span>
            {overBudget === 'approve' && <span className="tag">holds runs</span>}
          </span>
          <span className="row-sub">
            <ScopeOf budget={budget} />, {monthWords(budget.month)}: {money(actual, currency)} of{' '}
            {money(amountMonthly, currency)}
          </span>
          <BudgetBar budget={budget} />
          <span className="row-sub">
            <Forecast budget={budget} />
          </span>
        </span>
        {may('mutate_infra') && (
          <span className="actions">
            <Button aria-label={`Change ${name}`} onClick={onEdit}>
              Change…
            </Button>
            {(overBudget === 'warn' || may('manage_cloud_accounts')) && (
              <DeleteBudget budget={budget} />
            )}
          </span>
        )}
      </div>
    </li>
  )
}

const DeleteBudget = ({ budget: { id, name, overBudget } }: { budget: Budget }) => (
  <ConfirmButton
    label="Delete…"
    name={`Delete ${name}`}
    tone="danger"
    title={`Delete ${name}?`}
    act="Delete budget"
    run={async () => call('deleteBudget', { params: { id } })}
    refresh={['cost']}
  >
    {overBudget === 'approve'
      ? 'Runs that it would hold no longer wait for an approval because of it.'
      : 'Nobody is warned by it any more.'}
  </ConfirmButton>
)

/** A workspace or an account is named, for nobody knows it by its number. */
function ScopeOf({ budget }: { budget: Budget }) {
  const { scopeKind, scopeValue } = budget
  const id = Number(scopeValue)
  const workspace = useQuery({ ...workspaceQuery(id), enabled: scopeKind === 'workspace' })
  const account = useQuery({ ...cloudAccountQuery(id), enabled: scopeKind === 'account' })
  const name = workspace.data?.workspace.name ?? account.data?.account.name
  return name === undefined ? scopeInWords(budget) : `${scopeWords[scopeKind].word}: ${name}`
}

/** The forecast, or why there is none and where to look. */
function Forecast({ budget }: { budget: Budget }) {
  const { forecast, forecastLow, forecastHigh, noForecastBecause, currency } = budget
  if (forecast === null) {
    const { words, link } = noForecastWords[noForecastBecause ?? 'short_history']
    return (
      <>
        No forecast: {words}
        {link && (
          <>
            {' '}
            <Link to={link.to} {...(link.hash && { hash: link.hash })}>
              {link.label}
            </Link>
          </>
        )}
      </>
    )
  }
  const range =
    forecastLow !== null && forecastHigh !== null
      ? ` (${money(forecastLow, currency)} to ${money(forecastHigh, currency)})`
      : ''
  return `Forecast for the month: ${money(forecast, currency)}${range}`
}

/** The share of the amount that is spent and forecast. The words beside it have the figures. */
function BudgetBar({
  budget: { actual, forecast, amountMonthly, state, threshold },
}: {
  budget: Budget
}) {
  const most = Math.max(amountMonthly, actual, forecast ?? 0)
  const percent = (amount: number) => `${Math.max(0, Math.min(100, (100 * amount) / most))}%`
  return (
    <span className="budget-bar" aria-hidden="true">
      {forecast !== null && <span className="forecast" style={{ width: percent(forecast) }} />}
      <span className={`spent ${state}`} style={{ width: percent(actual) }} />
      <span className="mark" style={{ left: percent(amountMonthly * threshold) }} />
      <span className="mark amount" style={{ left: percent(amountMonthly) }} />
    </span>
  )
}
