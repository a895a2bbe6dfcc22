import { Link } from '@tanstack/react-router'
import { money } from './money.ts'
import { ratesHash } from './rates-hash.ts'

type Props = { unconverted: ReadonlyArray<{ currency: string; amount: number }> }

/** Money in currencies without an exchange rate, with the way to set one. */
export function UnconvertedNote({ unconverted }: Props) {
  if (unconverted.length === 0) return null
  return (
    <p className="note">
      Not in these figures, because there is no exchange rate:{' '}
      {unconverted.map(({ currency, amount }) => money(amount, currency)).join(', ')}.{' '}
      <Link to="/cost/bills" hash={ratesHash}>
        Exchange rates
      </Link>
    </p>
  )
}
