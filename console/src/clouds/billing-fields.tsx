import { useState } from 'react'
import { Check, Field, Select } from '../parts/forms.tsx'
import {
  billsFrom,
  billsOf,
  deletesSecretField,
  fieldsOf,
  type BillingField,
  type BillsFrom,
} from './billing-in.ts'
import type { Provider } from './cloud-words.ts'
import type { CloudAccount } from './queries.ts'

type Props = {
  provider: Provider
  /** Where they are now, without secrets. */
  billing: CloudAccount['billing']
  /** How often they are looked at; not asked for while an account is connected. */
  intervalHours?: number
}

/** Where the bills of an account are. */
export function BillingFields({ provider, billing, intervalHours }: Props) {
  const now = billsFrom(provider, billing)
  const [from, setFrom] = useState<BillsFrom>(now)
  const fields = fieldsOf(provider, from)
  const hasSecret = billing !== null && fields.some(({ secret }) => secret)
  return (
    <>
      <Select
        label="Bills"
        name="billing-from"
        value={from}
        hint="The account’s cost is read from them. Each is an export in FOCUS form."
        onChange={({ target: { value } }) =>
          setFrom(billsOf[provider].find((one) => one.from === value)?.from ?? 'none')
        }
      >
        <option value="none">Not read</option>
        {billsOf[provider].map((one) => (
          <option key={one.from} value={one.from}>
            {one.words}
          </option>
        ))}
      </Select>
      {hasSecret && (
        <p className="note quiet">
          A stored SAS token or connection string is not shown. Type it again with any change of
          these fields: otherwise it is deleted.
        </p>
      )}
      {fields.map((field) => (
        <OneField key={`${from}-${field.name}`} field={field} was={from === now ? billing : null} />
      ))}
      {hasSecret && (
        <Check label="Delete the stored token or connection string" name={deletesSecretField} />
      )}
      {from !== 'none' && intervalHours !== undefined && (
        <Field
          label="Hours between looks at the bills"
          name="ingestIntervalHours"
          type="number"
          min={1}
          max={168}
          required
          defaultValue={intervalHours}
        />
      )}
    </>
  )
}

const OneField = ({ field, was }: { field: BillingField; was: CloudAccount['billing'] }) => (
  <Field
    label={field.label}
    name={`billing-${field.name}`}
    type={field.secret ? 'password' : field.url ? 'url' : 'text'}
    defaultValue={was?.[field.name] ?? ''}
    required={field.may === undefined}
    maxLength={2_000}
    autoComplete="off"
    spellCheck={false}
    hint={field.hint}
  />
)
