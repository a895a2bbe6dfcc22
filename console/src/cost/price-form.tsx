import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Body } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn, TextField } from '../parts/forms.tsx'
import { matchLines, readMatch, type Match } from './match-lines.ts'
import { priceChange } from './price-change.ts'
import { currencyQuery, type Price } from './queries.ts'

/** What a new price begins with. */
export type PriceStart = { provider: string; resourceType: string; match: Match }

type Props = { price: Price | undefined; start?: PriceStart | undefined; onClose: () => void }

/** Adds a price to the price book, or changes this one. */
export function PriceForm({ price, start, onClose }: Props) {
  const queryClient = useQueryClient()
  const save = useMutation({
    // Async, so that a condition that cannot be read is an error of the form.
    mutationFn: async (form: FormData): Promise<unknown> => {
      const body = bodyOf(form)
      if (!price) return call('createPrice', { body })
      const change = priceChange(body, price)
      if (Object.keys(change).length === 0) return undefined
      return call('updatePrice', { params: { id: price.id }, body: change })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['cost', 'prices'] })
      onClose()
    },
  })
  const before = price ?? start
  return (
    <FormDialog
      title={price ? `Change the price of ${price.resourceType}` : 'New price'}
      description={
        price?.learned
          ? 'This price was learned from bills. Once you change it, it is yours, and bills no longer change it.'
          : undefined
      }
      act={price ? 'Save' : 'Add price'}
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <ProviderField provider={before?.provider} />
      <Field
        label="Resource type"
        name="resourceType"
        defaultValue={before?.resourceType}
        required
        maxLength={200}
        autoComplete="off"
        hint="As in the files, such as aws_instance."
      />
      <TextField
        label="Only where (optional)"
        name="match"
        rows={3}
        spellCheck={false}
        className="unit-values"
        defaultValue={before && matchLines(before.match)}
        placeholder="instance_type = t3.micro"
        hint="One attribute a line, with the value that it must have. Of several prices, the one with the most conditions counts."
      />
      <AmountFields price={price} />
    </FormDialog>
  )
}

const ProviderField = ({ provider }: { provider: string | undefined }) => (
  <Field
    label="Provider"
    name="provider"
    defaultValue={provider}
    required
    maxLength={200}
    autoComplete="off"
    hint="aws, or the whole address of the provider."
  />
)

function AmountFields({ price }: { price: Price | undefined }) {
  const { data: currency = '' } = useQuery(currencyQuery)
  const [typed, setTyped] = useState<string>()
  return (
    <>
      <Field
        label="Price a month"
        name="monthlyPrice"
        type="number"
        min="0"
        step="any"
        required
        defaultValue={price?.monthlyPrice}
      />
      <Field
        label="Currency"
        name="currency"
        required
        pattern="[A-Z]{3}"
        maxLength={3}
        title="Three capital letters, such as EUR"
        autoComplete="off"
        value={typed ?? price?.currency ?? currency}
        onChange={({ target }) => setTyped(target.value)}
        hint="That of the organization: a price in another currency never counts."
      />
      <Field
        label="Valid from"
        name="validFrom"
        type="date"
        defaultValue={price?.validFrom ?? new Date().toISOString().slice(0, 10)}
        required
      />
    </>
  )
}

const bodyOf = (form: FormData): Body<'createPrice'> => ({
  provider: textIn(form, 'provider').trim(),
  resourceType: textIn(form, 'resourceType').trim(),
  match: readMatch(textIn(form, 'match')),
  monthlyPrice: Number(textIn(form, 'monthlyPrice')),
  currency: textIn(form, 'currency').trim(),
  validFrom: textIn(form, 'validFrom'),
})
