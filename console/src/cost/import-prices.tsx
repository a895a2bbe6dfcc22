import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Body } from '../api/call.ts'
import { plural } from '../api/words.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field } from '../parts/forms.tsx'
import type { Price } from './queries.ts'
import { mostPrices, readPrices, type ReadPrices } from './read-prices.ts'

type Props = { onDone: (words: string) => void; onClose: () => void }

const maxBytes = 1_000_000

/**
 * Adds the prices of a CSV file, one after the other. Those that are in the book already are left out, so
 * that a file whose import broke off can be sent again.
 */
export function ImportPrices({ onDone, onClose }: Props) {
  const queryClient = useQueryClient()
  const [faults, setFaults] = useState<ReadPrices['faults']>([])
  const [added, setAdded] = useState(0)
  const bring = useMutation({
    mutationFn: async (form: FormData) => {
      const read = await readFile(form)
      setFaults(read.faults)
      return read.faults.length > 0 ? undefined : addPrices(read.prices, setAdded)
    },
    onSuccess: (words) => {
      if (words === undefined) return
      onDone(words)
      onClose()
    },
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['cost', 'prices'] }),
  })
  return (
    <FormDialog
      title="Import prices"
      description="A CSV file with the columns provider, type, price and currency, and if you like valid from. Any other column is an attribute, such as instance_type, with the value that it must have."
      act="Import"
      acting={added > 0 ? `${added} added…` : 'Reading…'}
      doing={bring}
      onSubmit={(form) => bring.mutate(form)}
      onClose={onClose}
    >
      <Field
        label="File"
        name="file"
        type="file"
        required
        accept=".csv,.tsv,.txt,text/csv"
        hint={`At most ${mostPrices} prices. Nothing is added while one line is wrong.`}
      />
      {faults.length > 0 && (
        <div className="note bad" role="alert">
          <p>Nothing was added. Correct these lines:</p>
          <ul>
            {faults.slice(0, 10).map(({ line, message }) => (
              <li key={line}>
                Line {line}: {message}
              </li>
            ))}
          </ul>
          {faults.length > 10 && <p>And {(faults.length - 10).toLocaleString('en')} more.</p>}
        </div>
      )}
    </FormDialog>
  )
}

async function readFile(form: FormData): Promise<ReadPrices> {
  const file = form.get('file')
  if (!(file instanceof File)) throw new Error('Choose a file.')
  if (file.size > maxBytes) throw new Error('The file is larger than 1 MB. Split it.')
  return readPrices(await file.text())
}

async function addPrices(
  rows: ReadPrices['prices'],
  onAdded: (count: number) => void,
): Promise<string> {
  const known = await knownPrices()
  let added = 0
  for (const { line, price } of rows) {
    const key = keyOf(price)
    if (known.has(key)) continue
    try {
      await call('createPrice', { body: price })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      // What was added stays. The same file, once it is corrected, adds the rest.
      throw new Error(
        `Line ${line} was refused: ${error.message} ${plural(added, 'price')} before it ${added === 1 ? 'was' : 'were'} added. Correct the line and import the file again.`,
        { cause: error },
      )
    }
    known.add(key)
    added += 1
    onAdded(added)
  }
  const same = rows.length - added
  return `${plural(added, 'price')} added.${same > 0 ? ` ${same} ${same === 1 ? 'was' : 'were'} there already.` : ''}`
}

/** The prices that people made; one from a bill may stand beside a price of a person. */
async function knownPrices(): Promise<Set<string>> {
  const keys = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const page = await call('listPrices', { query: { limit: 200, cursor } })
    for (const price of page.prices) if (!price.learned) keys.add(keyOf(price))
    if (page.nextCursor === null) return keys
    cursor = page.nextCursor
  }
}

const keyOf = (price: Body<'createPrice'> | Price): string =>
  JSON.stringify([
    price.provider,
    price.resourceType,
    Object.entries(price.match ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    price.monthlyPrice,
    price.currency,
    price.validFrom ?? new Date().toISOString().slice(0, 10),
  ])
