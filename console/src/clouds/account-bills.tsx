import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Time } from '../parts/time.tsx'
import { billsFrom, billsOf, fieldsOf } from './billing-in.ts'
import type { CloudAccount } from './queries.ts'

/** Where the bills of an account are read, as members see it. */
export const AccountBills = (props: Props) => (
  <section className="section">
    <h2>Bills</h2>
    {props.account.billing === null ? (
      <p className="section-text dim">
        Its bills are not read. A person with the role SRE · Cloud Admin or higher says where they
        are, by “Change…” above.
      </p>
    ) : (
      <ReadBills {...props} billing={props.account.billing} />
    )}
  </section>
)

type Props = { account: CloudAccount }
type ReadProps = Props & { billing: NonNullable<CloudAccount['billing']> }

function ReadBills({ account, billing }: ReadProps) {
  const { provider, ingestIntervalHours, nextIngestAt, completeThrough } = account
  const from = billsFrom(provider, billing)
  return (
    <>
      <p className="section-text dim">
        {billsOf[provider].find((one) => one.from === from)?.words}, every {ingestIntervalHours}{' '}
        hours{nextIngestAt && ', next '}
        {nextIngestAt && <Time at={nextIngestAt} />}. <Link to="/cost/bills">All bills</Link>
      </p>
      <dl className="pairs">
        {fieldsOf(provider, from).map(
          ({ name, label }) =>
            billing[name] && (
              <Fragment key={name}>
                <dt>{label.replace(' (optional)', '')}</dt>
                <dd>
                  <code>{billing[name]}</code>
                </dd>
              </Fragment>
            ),
        )}
        {completeThrough && (
          <>
            <dt>Complete until</dt>
            <dd>{completeThrough}</dd>
          </>
        )}
      </dl>
    </>
  )
}
