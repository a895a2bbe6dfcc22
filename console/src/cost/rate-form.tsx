import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field, textIn } from '../parts/forms.tsx'
import { currencyQuery } from './queries.ts'

/** Sets the rate of a month: what one unit of a bill's currency is in that of the organization. */
export function RateForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: quote = '', error } = useQuery(currencyQuery)
  const save = useMutation({
    mutationFn: async (form: FormData) =>
      call('setRate', {
        body: {
          month: textIn(form, 'month').trim(),
          base: textIn(form, 'base').trim().toUpperCase(),
          quote,
          rate: Number(textIn(form, 'rate')),
        },
      }),
    onSuccess: async () => {
      // Every figure of cost is made of the rates.
      await queryClient.invalidateQueries({ queryKey: ['cost'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title="Set an exchange rate"
      description="The bills of a month are shown at its one rate. It takes the place of the rate that this month and currency have."
      act="Set rate"
      mayAct={quote !== ''}
      doing={save}
      error={error}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <RateFields quote={quote} />
    </FormDialog>
  )
}

const RateFields = ({ quote }: { quote: string }) => (
  <>
    <Field
      label="Month"
      name="month"
      required
      pattern="20[0-9]{2}-(0[1-9]|1[0-2])"
      maxLength={7}
      autoComplete="off"
      defaultValue={new Date().toISOString().slice(0, 7)}
      hint="Year and month, such as 2026-01."
    />
    <Field
      label="Currency of the bills"
      name="base"
      required
      pattern="[A-Za-z]{3}"
      maxLength={3}
      autoComplete="off"
      hint="Three letters, such as CHF."
    />
    <Field
      label={`One unit of it in ${quote || 'the currency of the organization'}`}
      name="rate"
      type="number"
      min="0.000000000001"
      max="1000000000000"
      step="any"
      required
    />
  </>
)
