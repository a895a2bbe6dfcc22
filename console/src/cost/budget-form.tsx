import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Body } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Check, Field, textIn } from '../parts/forms.tsx'
import { budgetChange } from './budget-change.ts'
import type { Budget } from './queries.ts'
import { ScopeFields, sentScope, type ScopeKind } from './scope-fields.tsx'

/** Creates a budget, or changes this one. */
export function BudgetForm({
  budget,
  onClose,
}: {
  budget: Budget | undefined
  onClose: () => void
}) {
  const { may } = useMe()
  const queryClient = useQueryClient()
  const guardian = may('manage_cloud_accounts')
  // The API refuses what weakens a budget that holds runs, and writes the refusal into the audit log.
  const locked = !guardian && budget?.overBudget === 'approve'
  const [scopeKind, setScopeKind] = useState<ScopeKind>(budget?.scopeKind ?? 'all')
  const save = useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const typed = { ...bodyOf(form, scopeKind, guardian), ...(locked && scopeOfBudget(budget)) }
      if (!budget) return call('createBudget', { body: typed })
      const body = budgetChange(typed, budget)
      if (Object.keys(body).length === 0) return undefined
      return call('updateBudget', { params: { id: budget.id }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['cost'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={budget ? `Change ${budget.name}` : 'New budget'}
      act={budget ? 'Save' : 'Create budget'}
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <AmountFields budget={budget} locked={locked} />
      <ScopeFields before={budget} kind={scopeKind} onKind={setScopeKind} disabled={locked} />
      <Field
        label="Warn at (percent of the amount)"
        name="thresholdPct"
        type="number"
        min="1"
        max="100"
        step="any"
        required
        defaultValue={budget?.thresholdPct ?? 80}
      />
      {guardian && (
        <Check
          label="Runs that would exceed it wait for a second person"
          name="approve"
          defaultChecked={budget?.overBudget === 'approve'}
        />
      )}
    </FormDialog>
  )
}

function bodyOf(form: FormData, kind: ScopeKind, mayHold: boolean): Body<'createBudget'> {
  return {
    name: textIn(form, 'name').trim(),
    amountMonthly: Number(textIn(form, 'amountMonthly')),
    scopeKind: kind,
    scopeValue: sentScope(form, kind),
    thresholdPct: Number(textIn(form, 'thresholdPct')),
    // Who may not set it sends nothing, and it stays as it is.
    ...(mayHold && {
      overBudget: form.get('approve') === null ? ('warn' as const) : ('approve' as const),
    }),
  }
}

/** A disabled field is not in the form that is sent. */
const scopeOfBudget = ({ scopeKind, scopeValue }: Budget) => ({ scopeKind, scopeValue })

function AmountFields({ budget, locked }: { budget: Budget | undefined; locked: boolean }) {
  return (
    <>
      {locked && (
        <p className="dim">
          It holds runs. To raise its amount, or to change what it is about, requires the role SRE ·
          Cloud Admin or higher, which you do not have.
        </p>
      )}
      <Field label="Name" name="name" defaultValue={budget?.name} required maxLength={200} />
      <Field
        label={`Amount a month${budget ? ` (${budget.currency})` : ''}`}
        name="amountMonthly"
        type="number"
        min="0.01"
        step="any"
        required
        defaultValue={budget?.amountMonthly}
        {...(locked && { max: budget?.amountMonthly })}
        hint={
          locked
            ? 'In the organization’s currency. You may lower it.'
            : 'In the organization’s currency.'
        }
      />
    </>
  )
}
