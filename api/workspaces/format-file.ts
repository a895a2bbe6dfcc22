import { invalid } from '../../domain/errors.ts'
import type { Formatter } from '../../gateways/tofu/create-formatter.ts'

/** The text of a file as `tofu fmt` writes it. Nothing is stored. */
export async function formatFile(formatter: Formatter, text: string): Promise<string> {
  const formatted = await formatter.format(text)
  if (formatted.ok) return formatted.text
  const [first] = formatted.faults
  throw invalid(
    `Line ${first?.line ?? 1}: ${first?.message ?? 'it is not valid'}.`,
    formatted.faults.map(({ line, message }) => ({
      path: 'text',
      message: `line ${line}: ${message}`,
      line,
    })),
    'file_not_formatted',
  )
}
