import type { Answer } from '../api/call.ts'
import { DataTable } from '../parts/data-table.tsx'
import { plainText } from '../parts/plain-text.ts'

type Output = Answer<'listOutputs'>['outputs'][number]

/** Outputs with their values. The API sends no value of a sensitive one. */
export function OutputTable({ outputs }: { outputs: readonly Output[] }) {
  return (
    <DataTable
      label="Outputs"
      rows={outputs.map((output) => ({ ...output, id: output.name }))}
      columns={[
        { title: 'Name', render: ({ name }) => <code>{name}</code> },
        {
          title: 'Value',
          render: ({ value, sensitive, omitted }) =>
            sensitive ? (
              <span className="dim">•••• sensitive</span>
            ) : omitted ? (
              <span className="dim">{omittedWords[omitted]}</span>
            ) : (
              <code className="detail">{outputText(value)}</code>
            ),
        },
      ]}
    />
  )
}

const omittedWords = {
  too_large: 'Too large to be shown. tofu output prints it.',
  too_deep: 'Nested too deep to be shown. tofu output prints it.',
}

/** A value of at most 100 characters is shown on one line. */
function outputText(value: unknown): string {
  const short = JSON.stringify(value)
  return plainText(short.length <= 100 ? short : JSON.stringify(value, null, 2))
}
